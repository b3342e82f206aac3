import { connect } from "node:net";

export interface FirstLineOptions {
  /** Said once it is connected; default: nothing. */
  readonly ask?: string;
  /** Undefined when the line is the right one, else what is wrong. */
  readonly problem: (line: string) => string | undefined;
}

/**
 * What is wrong with the first line that a server says on a port of 127.0.0.1, or why it says none: for `untilReady`.
 */
export function firstLineProblem(port: number, { ask, problem }: FirstLineOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let text = "";
    const end = (found?: string): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setEncoding("utf8");
    if (ask !== undefined) socket.write(ask);
    socket.on("data", (part: string) => {
      text += part;
      const length = text.indexOf("\r\n");
      if (length >= 0) end(problem(text.slice(0, length)));
    });
    socket.once("error", (error) => end(error.message));
    socket.once("end", () => end("it closed the connection"));
  });
}
