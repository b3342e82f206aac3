/** What Go takes a number of JSON for that may be either. */
export function goNumberType(value: number): "float64" | "int64" {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "int64" : "float64";
}

/**
 * A number as Go's `%v` prints it: whole ones plainly where they fit an int64, others by its `%g`: `1.5`,
 * `1.00000025e+06`.
 */
export function goNumber(value: number): string {
  if (goNumberType(value) === "int64") return BigInt(value).toString();
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
