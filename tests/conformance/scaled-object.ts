import type { Conversation } from "./conversation.ts";
import type { CustomKind } from "./custom-kind.ts";
import { deployment, deployments } from "./deployment.ts";

/** The paths of the number of replicas, as a definition has them. */
const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };

/** Makes an object of a custom kind that has a Scale, and a Deployment, which has one too: both are named `a`. */
export async function scaledObjects({
  crd,
  quietly,
  namespace,
}: Conversation): Promise<{ readonly custom: CustomKind; readonly builtIn: string }> {
  const custom = await crd({ subresources: { scale } });
  await quietly("POST", custom.path, { body: custom.object("a", { spec: { replicas: 1 } }) });
  const builtIn = deployments(namespace);
  await quietly("POST", builtIn, { body: deployment("a") });
  return { custom, builtIn };
}
