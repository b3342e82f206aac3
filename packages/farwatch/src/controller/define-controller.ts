import { givenMs } from "../clock/given-duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";
import { isEnqueueAll } from "../handler/enqueue-all.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Controller, ControllerOptions } from "./controller.ts";

/**
 * Checks the options and gives the controller as plain data; nothing starts before `manager.start`.
 *
 * @throws CodedError `InvalidOption` or `InvalidDuration`, naming the controller and the option.
 */
export function defineController<O extends KubeObject>(options: ControllerOptions<O>): Controller {
  const name = options.name ?? options.for?.kind?.toLowerCase() ?? "";
  const refuse = (what: string): never => {
    throw new CodedError("InvalidOption", `Cannot define controller ${JSON.stringify(name)}: ${what}`);
  };
  // The compiler holds these; who calls from JavaScript learns it here and not at the first event.
  if (typeof options.for?.plural !== "string")
    refuse("`for` is no resource, give one of defineResource or defineBuiltin");
  if (typeof options.reconcile !== "function") refuse("it has no `reconcile`, give a function");
  if (!Array.isArray(options.watches ?? [])) refuse("`watches` is no list, give [watch(source, handler)]");
  for (const { source, handler } of options.watches ?? []) {
    if (typeof source?.events !== "function" || typeof handler !== "function") {
      refuse("`watches` holds what is no watch, make each with watch(source, handler)");
    }
    if (source.annotates === undefined) continue;
    if (!isEnqueueAll(handler)) {
      refuse(
        `source ${source.name} has one annotation for all, and its handler is not of enqueueAll: leave out its \`annotates\``,
      );
    }
    if (source.annotates.resource.kind === "Lease") {
      refuse(
        `source ${source.name} annotates a Lease, whose renewals are no place for it: give it an object of its own`,
      );
    }
  }
  // The server takes no longer one as the reporter of an Event, where it stands behind `farwatch.dev/`.
  if (name.length > 63 || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    refuse("its name must be lower-case letters, digits, dashes and dots, at most 63");
  const { concurrency, namespaceConcurrency, maxAttempts, handlerAttempts } = options;
  const counts = { concurrency, namespaceConcurrency, maxAttempts, handlerAttempts };
  const doing = `define controller ${JSON.stringify(name)}`;
  checkWholeNumbers(doing, counts);
  const { resync, reconcileTimeout, reconcileGrace, maxWait, handlerTimeout, backoff } = options;
  const durations = { resync, reconcileTimeout, reconcileGrace, maxWait, handlerTimeout };
  const named = { ...durations, "backoff.initial": backoff?.initial, "backoff.max": backoff?.max };
  for (const [what, value] of Object.entries(named)) {
    if (value !== undefined) givenMs(value, { doing, what, least: 0 });
  }
  // Events reach the predicates only through the watch of `for`, whose objects are of type O: the type can be forgotten
  // here.
  return { name, options: options as unknown as ControllerOptions<KubeObject> };
}
