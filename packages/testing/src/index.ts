export {
  type CertificateAuthority,
  type CertificateRequest,
  createCertificateAuthority,
  type IssuedCertificate,
  type Kubeconfig,
  type KubeconfigOptions,
  type KubeconfigUser,
  kubeconfigFor,
  writeKubeconfig,
} from "@farwatch/apiserver/access";
export type {
  AzureAccountOptions,
  AzureContainerOptions,
  AzurePermission,
  AzureStoreOptions,
} from "./azure/azure-options.ts";
export { type AzureStore, type ContainerSasOptions, createAzureStore } from "./azure/azure-store.ts";
export type { BinaryName } from "./binaries/binary.ts";
export { goBuild } from "./binaries/binary.ts";
export { type LocateOptions, locateBinaries } from "./binaries/locate-binaries.ts";
export type { BrokerServer, BrokerServerOptions } from "./broker/broker-server.ts";
export { debianPackages, findProgram } from "./broker/find-program.ts";
export { type Kafka, type KafkaOptions, startKafka } from "./broker/kafka.ts";
export { findKafka, installKafka } from "./broker/kafka-jars.ts";
export { type NatsServer, type NatsServerOptions, startNatsServer } from "./broker/nats-server.ts";
export { findPostgres, type Postgres, startPostgres } from "./broker/postgres.ts";
export { type RedisServer, type RedisServerOptions, startRedisServer } from "./broker/redis-server.ts";
export { type Sqs, startSqs } from "./broker/sqs.ts";
export { createTestEnv } from "./env/create-test-env.ts";
export type { SentRequest } from "./env/request-log.ts";
export type { Replica, ReplicaOptions, TestEnv, TestEnvOptions } from "./env/test-env.ts";
export { withTestEnv } from "./env/with-test-env.ts";
export type { FaultMatcher } from "./fault/fault-matcher.ts";
export type { FaultHandle, FaultRule, FaultSelection, Faults } from "./fault/fault-schedule.ts";
export { type KubeMatcher, type KubeRequest, kubeRequests, parseKubeRequest } from "./fault/kube-request.ts";
export type { BodyEnd, SlowExchange, StandInAnswer, StandInBody, TransportFault } from "./fault/transport-fault.ts";
export { type KubeFaultOptions, type StreamFaultOptions, transportFaults } from "./fault/transport-faults.ts";
export { type FaultyTransport, type WithFaultsOptions, withFaults } from "./fault/with-faults.ts";
export type { GcsAccount, GcsBucketOptions, GcsPermission, GcsStoreOptions } from "./gcs/gcs-options.ts";
export {
  createGcsServiceAccount,
  type GcsServiceAccount,
  type GcsServiceAccountKey,
  type GcsServiceAccountOptions,
} from "./gcs/gcs-service-account.ts";
export { createGcsStore, type GcsStore } from "./gcs/gcs-store.ts";
export {
  type KubeApiserver,
  type KubeApiserverOptions,
  type KubeProcess,
  startKubeApiserver,
} from "./kube/kube-apiserver.ts";
export type { KubeUser, TestUser } from "./kube/kube-folder.ts";
export { type ServedKind, serveKind } from "./kube/served-kind.ts";
export { type SharedKubeApiserver, sharedKubeApiserver } from "./kube/shared-kube-apiserver.ts";
export { freePort } from "./process/free-port.ts";
export { type HttpAnswer, type HttpCall, httpCall } from "./process/http-call.ts";
export { reapProcess } from "./process/reap.ts";
export type { ProxyAction, ProxyMatcher, RecordedRequest } from "./proxy/interception.ts";
export { type RecordingProxy, type RecordingProxyOptions, startRecordingProxy } from "./proxy/recording-proxy.ts";
export { startTcpRelay, type TcpRelay, type TcpRelayOptions } from "./proxy/tcp-relay.ts";
export type { S3BucketOptions, S3Permission, S3StoreOptions, S3User } from "./s3/s3-options.ts";
export { createS3Store, type S3Store } from "./s3/s3-store.ts";
export { type S3Credentials, type S3Endpoint, type S3Request, s3Request } from "./s3/signed-request.ts";
export { startVersitygw, type Versitygw, type VersitygwOptions } from "./s3/versitygw.ts";
export { type SourceContractOptions, sourceContract } from "./source-contract/source-contract.ts";
export type { SourceContractEnv, SourceUnderTest } from "./source-contract/source-stage.ts";
export type { ObjectStore, ObjectStoreOptions, StoreRequest } from "./store/object-store.ts";
export { type ServeTransportOptions, serveTransport, type TransportServer } from "./store/serve-transport.ts";
export type { ServiceFault, StoreAsk, StoreFault, StoreMatcher } from "./store/store-fault.ts";
