import assert from "node:assert/strict";
import { test } from "node:test";
import { addErrors, type FieldError, fieldErrorsText, required } from "./field-error.ts";

test("addErrors adds more errors than a call takes arguments", () => {
  const errors: FieldError[] = [required("a")];
  addErrors(
    errors,
    Array.from({ length: 500_000 }, () => required("b")),
  );
  assert.equal(errors.length, 500_001);
  assert.equal(fieldErrorsText(errors), "[a: Required value, b: Required value]");
});
