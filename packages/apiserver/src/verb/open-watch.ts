/** A watch whose events are being sent. Disposal stops them without a word. */
export interface OpenWatch extends Disposable {
  /** Ends the stream as the server does when its time is up. */
  end(): void;
}
