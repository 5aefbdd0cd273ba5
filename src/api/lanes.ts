/**
 * Requests to one origin in, each on a connection of its own out, the one that was used last first.
 *
 * A `Pool` of undici does the same. But there a request that follows at once on an answer stands in a line until the
 * connection has been put to rest: two timers and another turn of the event loop for each request.
 */
import { Client, type Dispatcher } from 'undici';

/**
 * `onConnect` comes right before the head of the request is written. `onComplete` may send the next request; `onError`
 * must not: the connection is being taken apart.
 */
export interface LaneHandler {
  onConnect(abort: (reason?: Error) => void): void;
  onHeaders(status: number, headers: Buffer[]): boolean;
  onData(block: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

export interface LanesOptions {
  readonly origin: string;
  readonly connections: number;
  readonly connect: NonNullable<Client.Options['connect']>;
}

interface Waiting {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: LaneHandler;
}

export class Lanes {
  readonly origin: string;
  readonly #connections: number;
  readonly #connect: LanesOptions['connect'];
  readonly #clients: Client[] = [];
  readonly #free: Client[] = [];
  readonly #waiting = new Set<Waiting>();

  constructor({ origin, connections, connect }: LanesOptions) {
    this.origin = origin;
    this.#connections = connections;
    this.#connect = connect;
  }

  /** Whoever comes when all connections are in use waits until one is free. */
  dispatch(options: Dispatcher.DispatchOptions, handler: LaneHandler): void {
    const client = this.#free.pop() ?? this.#open();
    if (client === undefined) this.#waiting.add({ options, handler });
    else this.#begin(client, options, handler);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  #open(): Client | undefined {
    if (this.#clients.length >= this.#connections) return undefined;
    // No pipelining: with a lost connection the outcome of every request on it would be unknown.
    const client = new Client(this.origin, { pipelining: 1, connect: this.#connect });
    this.#clients.push(client);
    return client;
  }

  #begin(client: Client, options: Dispatcher.DispatchOptions, handler: LaneHandler): void {
    client.dispatch(options, new Freeing(handler, client, this.#freed));
  }

  readonly #freed = (client: Client): void => {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free.push(client);
      return;
    }
    this.#waiting.delete(next);
    this.#begin(client, next.options, next.handler);
  };
}

/** Frees the connection as soon as the answer is there, so that the next request goes the same way. */
class Freeing implements LaneHandler {
  readonly #handler: LaneHandler;
  readonly #client: Client;
  readonly #freed: (client: Client) => void;

  constructor(handler: LaneHandler, client: Client, freed: (client: Client) => void) {
    this.#handler = handler;
    this.#client = client;
    this.#freed = freed;
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#handler.onConnect(abort);
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    return this.#handler.onHeaders(status, headers);
  }

  onData(block: Buffer): boolean {
    return this.#handler.onData(block);
  }

  onComplete(): void {
    this.#freed(this.#client);
    this.#handler.onComplete();
  }

  onError(error: Error): void {
    queueMicrotask(() => this.#freed(this.#client));
    this.#handler.onError(error);
  }
}
