// In the order in which an event passes through the rooms.

// error/

export { CodedError, type ErrorCode, isCodedError, messageOf } from "./error/coded-error.ts";

// clock/

export type { Clock, TimeoutSignal } from "./clock/clock.ts";
export { type Duration, type DurationString, toMs } from "./clock/duration.ts";
export { formatMicroTime, formatTime, type Instant, instantOf, parseHttpDate, parseTime } from "./clock/instant.ts";
export { type Random, seededRandom, systemRandom } from "./clock/random.ts";
export { RetryAfterError } from "./clock/retry-after-error.ts";
export { systemClock } from "./clock/system-clock.ts";

// flow/

export { type Channel, type ChannelOptions, createChannel, type Overflow } from "./flow/channel.ts";
export { type Emitter, type EventsOfOptions, eventsOf } from "./flow/events-of.ts";
export { merge } from "./flow/merge.ts";
export { createTaskScope, type TaskScope } from "./flow/task-scope.ts";

// observe/

export { type LogFields, type Logger, silentLogger } from "./observe/logger.ts";
export type {
  CounterMetric,
  GaugeMetric,
  HistogramMetric,
  HistogramOptions,
  Labels,
  MetricOptions,
  Metrics,
} from "./observe/metrics.ts";
export { createPinoLogger, type LogLevel, type PinoLoggerOptions } from "./observe/pino-logger.ts";
export { createMetrics, type MetricsOptions } from "./observe/prom-metrics.ts";

// limit/

export {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
  createCircuitBreaker,
} from "./limit/circuit-breaker.ts";
export type { CircuitCall, CircuitCaller } from "./limit/circuit-caller.ts";
export { createRateLimiter, type RateLimiter, type RateLimiterOptions } from "./limit/rate-limiter.ts";

// wire/

export { setCondition } from "./wire/condition.ts";
export type { CrdNames, CrdPrinterColumn, CrdScale, CrdSpec, CrdVersion } from "./wire/custom-resource-definition.ts";
export {
  type FieldRequirement,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from "./wire/field-selector.ts";
export {
  formatLabelSelector,
  type LabelMap,
  type LabelMatcher,
  type LabelRequirement,
  labelMatcher,
  parseLabelSelector,
} from "./wire/label-selector.ts";
export { applyMergePatch, mergePatchBetween } from "./wire/merge-patch.ts";
export {
  type Condition,
  controllerReference,
  formatKey,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  type Status,
} from "./wire/object.ts";
export {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
} from "./wire/quantity.ts";
export {
  handledAtAnnotation,
  pausedAnnotation,
  requestedAtAnnotation,
  requestTokenOf,
  waitsForRun,
} from "./wire/runtime-annotation.ts";
export type {
  JsonObject,
  NestedValidation,
  StructuralSchema,
  ValidationRule,
  ValueValidation,
} from "./wire/structural-schema.ts";

// resource/

export {
  type BuiltinInput,
  type BuiltinOptions,
  type BuiltinResource,
  defineBuiltin,
} from "./resource/define-builtin.ts";
export { type DefinedResource, defineResource, type ResourceOptions } from "./resource/define-resource.ts";
export type { FieldOptions, FieldRule } from "./resource/field-option.ts";
export type { Schema } from "./resource/json-schema.ts";
export { ConfigMap } from "./resource/kind/config-map.ts";
export { CustomResourceDefinition } from "./resource/kind/custom-resource-definition.ts";
export { Deployment } from "./resource/kind/deployment.ts";
export { Event } from "./resource/kind/event.ts";
export { Job } from "./resource/kind/job.ts";
export { Lease } from "./resource/kind/lease.ts";
export { Namespace } from "./resource/kind/namespace.ts";
export { Node } from "./resource/kind/node.ts";
export type { ObjectReference } from "./resource/kind/object-reference.ts";
export { Pod } from "./resource/kind/pod.ts";
export type { PodSpec, PodTemplate } from "./resource/kind/pod-spec.ts";
export { Secret } from "./resource/kind/secret.ts";
export { Service } from "./resource/kind/service.ts";
export { ServiceAccount } from "./resource/kind/service-account.ts";
export type { PrinterColumn } from "./resource/printer-column.ts";
export {
  type AnyResource,
  type CustomInput,
  type CustomObject,
  type DeepReadonly,
  groupResource,
  type InputOf,
  type MetadataInput,
  type ObjectOf,
  type Resource,
  type ResourceDefinition,
} from "./resource/resource.ts";
export { type CrdManifest, type ToCrdOptions, toCrd } from "./resource/to-crd.ts";
export { toYaml } from "./resource/to-yaml.ts";

// transport/

export type { Lookup } from "./transport/dial.ts";
export { createHttpTransport, type HttpTransportOptions } from "./transport/http-transport.ts";
export type {
  ConnectAddress,
  ConnectPolicy,
  PeerCertificate,
  TlsOptions,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportTimings,
} from "./transport/transport.ts";
export { TransportError, type TransportPhase } from "./transport/transport-error.ts";

// client/

export type {
  ApplyOptions,
  CallOptions,
  Client,
  DeepPartial,
  DeleteOptions,
  JsonPatchOperation,
  LabelSelector,
  LeaderClient,
  ListOptions,
  Reader,
  ReadOptions,
  WriteOptions,
} from "./client/client.ts";
export type { ClusterConfig, Credential, CredentialSource } from "./client/cluster-config.ts";
export type { ClientView, ConnectedClient, Fence } from "./client/connected-client.ts";
export { type ClientOptions, createClient } from "./client/create-client.ts";
export type { KubeconfigObject } from "./client/kubeconfig.ts";
export { type LoadConfigOptions, loadConfig } from "./client/load-config.ts";
export { chooseProxy, type Environment } from "./client/proxy-choice.ts";
export type { ReadFile } from "./client/read-file.ts";
export type { RestClient, RestRequest } from "./client/rest-client.ts";
export type { Command, CommandOutcome, RunCommand } from "./client/run-command.ts";
export { type StaticConfigOptions, staticConfig } from "./client/static-config.ts";
export { type StatusCause, StatusError } from "./client/status-error.ts";

// event/

export { type Enqueued, priorities, type Request } from "./event/request.ts";
export type {
  Acknowledgement,
  CreateEvent,
  DeleteEvent,
  GenericEvent,
  ObjectEvent,
  SourceEvent,
  UpdateEvent,
} from "./event/source-event.ts";

// ingress/

export type { BodyEvent, BodyFormat, BodyReading } from "./ingress/body-format.ts";
export { type CloudEvent, cloudEventsBody } from "./ingress/cloud-events.ts";
export { type EventGridBodyOptions, type EventGridEvent, eventGridBody } from "./ingress/event-grid.ts";
export { type GithubSignatureOptions, githubSignature } from "./ingress/github-signature.ts";
export type { Ingress, IngressAnswer, IngressPlace, IngressRequest, IngressRoute } from "./ingress/ingress.ts";
export type { IngressOptions, IngressTls } from "./ingress/ingress-options.ts";
export { jsonBody } from "./ingress/json-body.ts";
export { type MutualTlsOptions, mutualTls } from "./ingress/mutual-tls.ts";
export { type OidcOptions, oidc } from "./ingress/oidc.ts";
export type { BodySchema } from "./ingress/schema-check.ts";
export { type SnsTopics, type SnsTopicsOptions, snsTopics } from "./ingress/sns-topics.ts";
export { type StripeSignatureOptions, stripeSignature } from "./ingress/stripe-signature.ts";
export { type TokenReviewOptions, tokenReview } from "./ingress/token-review.ts";
export type { TraceLink } from "./ingress/trace-link.ts";
export { unguessablePath } from "./ingress/unguessable-path.ts";
export type { Verified, Verifier, VerifierContext } from "./ingress/verifier.ts";
export type { WebhookSecret } from "./ingress/webhook-secret.ts";

// cache/

export type { Cache, IndexFunctions, Informer, InformerOptions, SyncProblem, SyncState } from "./cache/cache.ts";

// source/

// broker/

export type { BrokerTls } from "./broker/broker-tls.ts";
export type { PoisonMessage } from "./broker/dead-letters.ts";
export type { FreshSecret } from "./broker/fresh-secret.ts";
export type { JetStreamPlace } from "./broker/jetstream-place.ts";
export { type JetStreamMessage, type JetStreamSourceOptions, jetStreamSource } from "./broker/jetstream-source.ts";
export type { KafkaSasl } from "./broker/kafka-sasl.ts";
export { type KafkaMessage, type KafkaSourceOptions, kafkaSource } from "./broker/kafka-source.ts";
export type { NatsAuth, NatsServers } from "./broker/nats-servers.ts";
export { type NatsMessage, type NatsSourceOptions, natsSource } from "./broker/nats-source.ts";
export { type PostgresNotifyOptions, postgresNotifySource } from "./broker/postgres-notify-source.ts";
export {
  type PostgresOutboxMessage,
  type PostgresOutboxOptions,
  postgresOutboxSource,
} from "./broker/postgres-outbox-source.ts";
export { type PostgresOutboxPlace, postgresOutboxTable } from "./broker/postgres-outbox-table.ts";
export type { PostgresUrl } from "./broker/postgres-url.ts";
export type { RedisServerAddress } from "./broker/redis-connection.ts";
export type { RedisStreamPlace } from "./broker/redis-group.ts";
export {
  type RedisStreamMessage,
  type RedisStreamSourceOptions,
  redisStreamSource,
} from "./broker/redis-stream-source.ts";
export { type SqsMessage, type SqsSourceOptions, sqsSource } from "./broker/sqs-source.ts";
export type { BucketChange } from "./source/bucket-change.ts";
export {
  type BucketEvent,
  type BucketEventSourceOptions,
  type BucketNotifications,
  bucketEventSource,
} from "./source/bucket-event-source.ts";
export { type ChannelSource, type ChannelSourceOptions, channelSource } from "./source/channel-source.ts";
export type { CheckpointStore } from "./source/checkpoint.ts";
export { type ConditionalGet, type ConditionalGetOptions, conditionalGet } from "./source/conditional-get.ts";
export { type CronRun, type CronSourceOptions, cronSource } from "./source/cron-source.ts";
export { type FileSourceOptions, fileSource, type MountedFiles } from "./source/file-source.ts";
export {
  type IterableContext,
  iterableSource,
  type OriginIterableOptions,
  type ProcessIterableOptions,
} from "./source/iterable-source.ts";
export { kindSource } from "./source/kind-source.ts";
export type { FileContents } from "./source/mounted-files.ts";
export { type Grid, gridOf, nextOnGrid, phaseOf } from "./source/phase.ts";
export type { PollEachOptions, Polled } from "./source/poll-each.ts";
export type { PollListOptions } from "./source/poll-list.ts";
export { pollSource } from "./source/poll-source.ts";
export { type Asked, type ObjectSelector, type RequestSource, requestSource } from "./source/request-source.ts";
export type { Context, OwnObject, Source, SourceContext, SourceHealth } from "./source/source.ts";
export { sourceLike } from "./source/source-like.ts";
export { type SseSourceOptions, sseSource } from "./source/sse-source.ts";
export type { SseMessage } from "./source/sse-stream.ts";
export { type Tick, type TickerSourceOptions, tickerSource } from "./source/ticker-source.ts";
export { type TimerSourceOptions, timerSource } from "./source/timer-source.ts";
export type { WebAccess, WebHeaders } from "./source/web-access.ts";
export {
  type WebSocketData,
  type WebSocketPeer,
  type WebSocketSourceOptions,
  webSocketSource,
} from "./source/web-socket-source.ts";
export type { WebhookEvent, WebhookSourceOptions } from "./source/webhook-options.ts";
export { webhookSource } from "./source/webhook-source.ts";

// predicate/

export { generationChanged } from "./predicate/generation-changed.ts";
export { labelsMatch } from "./predicate/labels-match.ts";
export { allOf, anyOf, not } from "./predicate/logic.ts";
export { annotationsChanged, labelsChanged } from "./predicate/metadata-changed.ts";
export type { Predicate } from "./predicate/predicate.ts";

// handler/

export { type DebounceHandlerOptions, type DebounceOptions, debounce } from "./handler/debounce.ts";
export { type EnqueueAllOptions, enqueueAll } from "./handler/enqueue-all.ts";
export { enqueueRequestForObject } from "./handler/enqueue-request-for-object.ts";
export { type EnqueueRequestForOwnerOptions, enqueueRequestForOwner } from "./handler/enqueue-request-for-owner.ts";
export { enqueueRequested } from "./handler/enqueue-requested.ts";
export { enqueueRequestsFromMapFunc, type MapFunc } from "./handler/enqueue-requests-from-map-func.ts";
export type { EventHandler } from "./handler/event-handler.ts";

// reconcile/

export type { EventNote, EventRecorder } from "./reconcile/event-recorder.ts";
export { addFinalizer, removeFinalizers } from "./reconcile/finalizer.ts";
export type { ReconcileContext, Reconciler, Result } from "./reconcile/reconciler.ts";
export { TerminalError } from "./reconcile/terminal-error.ts";
export { type Finalizer, withFinalizer } from "./reconcile/with-finalizer.ts";

// controller/

export type { Controller, ControllerOptions, DeadLetter } from "./controller/controller.ts";
export { defineController } from "./controller/define-controller.ts";
export { type Watch, watch } from "./controller/watch.ts";

// manager/

export { createManager } from "./manager/create-manager.ts";
export type { HealthCheck, LeaderElectionOptions, Leadership, Manager, ManagerOptions } from "./manager/manager.ts";
export type { LeaderRunnable, ReplicaRunnable, Runnable, RunnableContext } from "./manager/runnable.ts";
export { shutdownSignal } from "./manager/shutdown-signal.ts";
