// store/

export type { StoreState } from "./store/store.ts";

// http/

export { applyManifests, askServer, type Question, type Speaker } from "./http/apply-manifest.ts";
export {
  type CertificateAuthority,
  type CertificateRequest,
  createCertificateAuthority,
  type IssuedCertificate,
} from "./http/certificate-authority.ts";
export {
  type ApiServer,
  type ApiServerOptions,
  type ApiServerUser,
  createApiServer,
} from "./http/create-api-server.ts";
export {
  type Kubeconfig,
  type KubeconfigOptions,
  type KubeconfigUser,
  kubeconfigFor,
  writeKubeconfig,
} from "./http/kubeconfig.ts";
export type { Listening, ListenOptions } from "./http/listen.ts";
