import { z } from "zod";
import type { TortureCase } from "./torture-case.ts";

export const listCases: readonly TortureCase[] = [
  {
    name: "lists of lists with sizes",
    spec: z.object({
      grid: z.array(z.array(z.int().min(0)).min(1)).max(2),
      tags: z.array(z.string()).nonempty().optional(),
    }),
    takes: [[{ grid: [] }], [{ grid: [[1, 2], [3]], tags: ["a"] }]],
    refuses: [
      [{ grid: [[], [1]] }, "should have at least 1 items"],
      [{ grid: [[1], [2], [3]] }, "must have at most 2 items"],
      [{ grid: [[-1]] }, "greater than or equal to 0"],
      [{ grid: [["a"]] }, "must be of type integer"],
      [{ grid: [], tags: [] }, "at least 1 items"],
    ],
  },
  {
    name: "list maps, sets and atomic lists",
    spec: z.object({
      ports: z
        .array(z.object({ name: z.string(), protocol: z.enum(["TCP", "UDP"]).default("TCP"), port: z.int() }))
        .optional(),
      finalizers: z.array(z.string()).optional(),
      unique: z.array(z.int()).meta({ uniqueItems: true }).optional(),
      args: z.array(z.string()).optional(),
      settings: z.object({ a: z.string().optional() }).optional(),
    }),
    options: {
      listMapKeys: { "spec.ports": ["name", "protocol"] },
      listSets: ["spec.finalizers"],
      atomic: ["spec.args", "spec.settings"],
    },
    takes: [
      [
        {
          ports: [
            { name: "a", port: 1 },
            { name: "a", protocol: "UDP", port: 1 },
          ],
          finalizers: ["x", "y"],
          unique: [1, 2],
          args: ["x", "x"],
        },
        {
          ports: [
            { name: "a", protocol: "TCP", port: 1 },
            { name: "a", protocol: "UDP", port: 1 },
          ],
          finalizers: ["x", "y"],
          unique: [1, 2],
          args: ["x", "x"],
        },
      ],
    ],
    refuses: [
      [
        {
          ports: [
            { name: "a", port: 1 },
            { name: "a", port: 2 },
          ],
        },
        "Duplicate value",
      ],
      [{ finalizers: ["x", "x"] }, "Duplicate value"],
      [{ unique: [1, 1] }, "Duplicate value"],
    ],
  },
  {
    name: "lists of objects with defaults",
    spec: z.object({ rules: z.array(z.object({ port: z.int(), protocol: z.string().default("TCP") })) }),
    takes: [[{ rules: [{ port: 1 }] }, { rules: [{ port: 1, protocol: "TCP" }] }]],
    refuses: [[{ rules: [{}] }, "spec.rules[0].port: Required value"]],
  },
  {
    name: "lists that are alternatives by their size",
    spec: z.object({ pair: z.union([z.array(z.string()).length(2), z.array(z.string()).length(4)]) }),
    takes: [[{ pair: ["a", "b"] }], [{ pair: ["a", "b", "c", "d"] }]],
    refuses: [[{ pair: ["a", "b", "c"] }, "at least one schema"]],
  },
];
