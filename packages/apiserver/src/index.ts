// store/

export type { StoreState } from "./store/store.ts";

// http/

export {
  type ApiServer,
  type ApiServerOptions,
  type ApiServerUser,
  createApiServer,
} from "./http/create-api-server.ts";
export type { Listening, ListenOptions } from "./http/listen.ts";
