// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package
/**
 * How servers are reached: certificates, kubeconfigs, manifests, and what their paths name. For whoever wants these
 * without a server.
 */
export { applyManifests, askServer, type Question, type Speaker } from "./http/apply-manifest.ts";
export {
  type CertificateAuthority,
  type CertificateRequest,
  createCertificateAuthority,
  type IssuedCertificate,
} from "./http/certificate-authority.ts";
export {
  type Kubeconfig,
  type KubeconfigOptions,
  type KubeconfigUser,
  kubeconfigFor,
  writeKubeconfig,
} from "./http/kubeconfig.ts";
export { type ResourcePath, readResourcePath, verbOf } from "./route/request-path.ts";
