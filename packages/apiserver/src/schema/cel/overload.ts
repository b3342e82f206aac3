import { type CelType, readType, splitTypes } from "./cel-type.ts";

/** One way to call a function. */
export interface Overload {
  /** `contains(string, string)`, its arguments with the receiver first: what costs are told apart by. */
  readonly id: string;
  readonly name: string;
  /** Called as `a.f(b)`. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly isGeneric: boolean;
}

const comparables = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const pairs =
  "bool,bool int,int int,double int,uint uint,uint uint,double uint,int double,double double,int double,uint string,string bytes,bytes timestamp,timestamp duration,duration";
const comparison = (name: string): string =>
  pairs
    .split(" ")
    .map((pair) => `${name}(${pair}) bool`)
    .join("\n");
const ofItems = (items: readonly string[], line: (item: string) => string): string => items.map(line).join("\n");

/**
 * The functions of CEL in Kubernetes 1.35: the standard ones, strings (version 2), lists (version 3), sets, optionals,
 * loops over two variables, and those of k8s.io/apiserver. A line an overload; a dot before the name means that the
 * first argument is the receiver.
 */
const table = (): string => `
_?_:_(bool, A, A) A
_&&_(bool, bool) bool
_||_(bool, bool) bool
!_(bool) bool
@not_strictly_false(bool) bool
_==_(A, A) bool
_!=_(A, A) bool
${["_<_", "_<=_", "_>_", "_>=_"].map(comparison).join("\n")}
_+_(bytes, bytes) bytes
_+_(double, double) double
_+_(duration, duration) duration
_+_(duration, timestamp) timestamp
_+_(timestamp, duration) timestamp
_+_(int, int) int
_+_(list(A), list(A)) list(A)
_+_(string, string) string
_+_(uint, uint) uint
_-_(double, double) double
_-_(duration, duration) duration
_-_(int, int) int
_-_(timestamp, duration) timestamp
_-_(timestamp, timestamp) duration
_-_(uint, uint) uint
_*_(double, double) double
_*_(int, int) int
_*_(uint, uint) uint
_/_(double, double) double
_/_(int, int) int
_/_(uint, uint) uint
_%_(int, int) int
_%_(uint, uint) uint
-_(double) double
-_(int) int
_[_](list(A), int) A
_[_](map(A, B), A) B
_[_](optional(list(V)), int) optional(V)
_[_](optional(map(K, V)), K) optional(V)
_[?_](list(V), int) optional(V)
_[?_](optional(list(V)), int) optional(V)
_[?_](map(K, V), K) optional(V)
_[?_](optional(map(K, V)), K) optional(V)
@in(A, list(A)) bool
@in(A, map(A, B)) bool
cel.@mapInsert(map(A, B), map(A, B)) map(A, B)
cel.@mapInsert(map(A, B), A, B) map(A, B)
${["string", "bytes", "list(A)", "map(A, B)"].flatMap((type) => [`size(${type}) int`, `.size(${type}) int`]).join("\n")}
type(A) type(A)
dyn(A) dyn
bool(bool) bool
bool(string) bool
bytes(bytes) bytes
bytes(string) bytes
double(double) double
double(int) double
double(string) double
double(uint) double
duration(duration) duration
duration(int) duration
duration(string) duration
int(int) int
int(double) int
int(duration) int
int(string) int
int(timestamp) int
int(uint) int
string(string) string
string(bool) string
string(bytes) string
string(double) string
string(duration) string
string(int) string
string(timestamp) string
string(uint) string
string(ip) string
string(cidr) string
timestamp(timestamp) timestamp
timestamp(int) timestamp
timestamp(string) timestamp
uint(uint) uint
uint(double) uint
uint(int) uint
uint(string) uint
matches(string, string) bool
.matches(string, string) bool
.contains(string, string) bool
.endsWith(string, string) bool
.startsWith(string, string) bool
${ofItems(["FullYear", "Month", "DayOfYear", "DayOfMonth", "Date", "DayOfWeek"], (part) => `.get${part}(timestamp) int\n.get${part}(timestamp, string) int`)}
${ofItems(["Hours", "Minutes", "Seconds", "Milliseconds"], (part) => `.get${part}(timestamp) int\n.get${part}(timestamp, string) int\n.get${part}(duration) int`)}
optional.of(V) optional(V)
optional.ofNonZeroValue(V) optional(V)
optional.none() optional(V)
optional.unwrap(list(optional(V))) list(V)
.unwrapOpt(list(optional(V))) list(V)
.value(optional(V)) V
.hasValue(optional(V)) bool
.or(optional(V), optional(V)) optional(V)
.orValue(optional(V), V) V
.charAt(string, int) string
.indexOf(string, string) int
.indexOf(string, string, int) int
.indexOf(list(A), A) int
.lastIndexOf(string, string) int
.lastIndexOf(string, string, int) int
.lastIndexOf(list(A), A) int
.lowerAscii(string) string
.upperAscii(string) string
.replace(string, string, string) string
.replace(string, string, string, int) string
.split(string, string) list(string)
.split(string, string, int) list(string)
.substring(string, int) string
.substring(string, int, int) string
.trim(string) string
.join(list(string)) string
.join(list(string), string) string
.format(string, list(dyn)) string
strings.quote(string) string
.find(string, string) string
.findAll(string, string) list(string)
.findAll(string, string, int) list(string)
${ofItems(comparables, (item) => `.isSorted(list(${item})) bool`)}
${ofItems(["int", "uint", "double", "duration"], (item) => `.sum(list(${item})) ${item}`)}
${ofItems(comparables, (item) => `.max(list(${item})) ${item}\n.min(list(${item})) ${item}`)}
.slice(list(A), int, int) list(A)
.flatten(list(list(A))) list(A)
.flatten(list(dyn), int) list(dyn)
.distinct(list(A)) list(A)
.reverse(list(A)) list(A)
.first(list(A)) optional(A)
.last(list(A)) optional(A)
lists.range(int) list(int)
${ofItems(comparables, (item) => `.sort(list(${item})) list(${item})\n.@sortByAssociatedKeys(list(A), list(${item})) list(A)`)}
sets.contains(list(A), list(A)) bool
sets.equivalent(list(A), list(A)) bool
sets.intersects(list(A), list(A)) bool
url(string) url
isURL(string) bool
.getScheme(url) string
.getHost(url) string
.getHostname(url) string
.getPort(url) string
.getEscapedPath(url) string
.getQuery(url) map(string, list(string))
ip(string) ip
isIP(string) bool
ip.isCanonical(string) bool
.family(ip) int
.isUnspecified(ip) bool
.isLoopback(ip) bool
.isLinkLocalMulticast(ip) bool
.isLinkLocalUnicast(ip) bool
.isGlobalUnicast(ip) bool
cidr(string) cidr
isCIDR(string) bool
.ip(cidr) ip
.masked(cidr) cidr
.prefixLength(cidr) int
.containsIP(cidr, string) bool
.containsIP(cidr, ip) bool
.containsCIDR(cidr, string) bool
.containsCIDR(cidr, cidr) bool
quantity(string) quantity
isQuantity(string) bool
sign(quantity) int
.isInteger(quantity) bool
.asInteger(quantity) int
.asApproximateFloat(quantity) double
.isGreaterThan(quantity, quantity) bool
.isLessThan(quantity, quantity) bool
.compareTo(quantity, quantity) int
.add(quantity, quantity) quantity
.add(quantity, int) quantity
.sub(quantity, quantity) quantity
.sub(quantity, int) quantity
semver(string) semver
semver(string, bool) semver
isSemver(string) bool
isSemver(string, bool) bool
.major(semver) int
.minor(semver) int
.patch(semver) int
.isGreaterThan(semver, semver) bool
.isLessThan(semver, semver) bool
.compareTo(semver, semver) int
format.named(string) optional(format)
${ofItems(["dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime"], (name) => `format.${name}() format`)}
.validate(format, string) optional(list(string))
.path(authorizer, string) pathCheck
.group(authorizer, string) groupCheck
.serviceAccount(authorizer, string, string) authorizer
.resource(groupCheck, string) resourceCheck
.subresource(resourceCheck, string) resourceCheck
.namespace(resourceCheck, string) resourceCheck
.name(resourceCheck, string) resourceCheck
.fieldSelector(resourceCheck, string) resourceCheck
.labelSelector(resourceCheck, string) resourceCheck
.check(pathCheck, string) decision
.check(resourceCheck, string) decision
.allowed(decision) bool
.reason(decision) string
.errored(decision) bool
.error(decision) string
`;

let overloads: ReadonlyMap<string, readonly Overload[]> | undefined;

/** The overloads of a function, in the order in which they are tried; undefined for a name that is none. */
export function overloadsOf(name: string): readonly Overload[] | undefined {
  overloads ??= Map.groupBy(table().split("\n").filter(Boolean).map(readOverload), (overload) => overload.name);
  return overloads.get(name);
}

function readOverload(line: string): Overload {
  const member = line.startsWith(".");
  const open = line.indexOf("(");
  const close = closing(line, open);
  const name = line.slice(member ? 1 : 0, open);
  const args = splitTypes(line.slice(open + 1, close)).map((text) => text.trim());
  return {
    id: `${name}(${args.join(", ")})`,
    name,
    member,
    args: args.map(readType),
    result: readType(line.slice(close + 1)),
    isGeneric: /(?<![A-Za-z])[A-Z](?![A-Za-z])/.test(line.slice(open)),
  };
}

function closing(line: string, open: number): number {
  let depth = 0;
  for (let index = open; index < line.length; index += 1) {
    if (line[index] === "(") depth += 1;
    if (line[index] === ")") depth -= 1;
    if (depth === 0) return index;
  }
  return line.length;
}
