import { testSuite } from "./suite-tests.ts";

await testSuite("kube-apiserver");
