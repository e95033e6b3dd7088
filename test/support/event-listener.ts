/** One event of a stream. Its data is parsed. */
export interface ReceivedEvent {
  readonly id?: string;
  /** Default: `message`. */
  readonly type?: string;
  readonly data: unknown;
}

/** A client of a stream, until it leaves. Comments, such as heartbeats, are no events. */
export class EventListener {
  private text = '';

  private constructor(
    readonly headers: Headers,
    private readonly reader: ReadableStreamDefaultReader<string>,
  ) {}

  /** @throws Error with the response when it is no stream */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventListener> {
    const response = await fetch(url, { headers });
    if (response.headers.get('Content-Type') !== 'text/event-stream')
      throw new Error(`No stream: ${response.status} ${await response.text()}`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    return new EventListener(response.headers, reader);
  }

  /** The next event; null when the server has ended the stream. */
  async next(): Promise<ReceivedEvent | null> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await this.reader.read();
        if (done) return null;
        this.text += value;
        continue;
      }
      const event = eventOf(this.text.slice(0, end));
      this.text = this.text.slice(end + 2);
      if (event) return event;
    }
  }

  leave(): Promise<void> {
    return this.reader.cancel();
  }
}

function eventOf(block: string): ReceivedEvent | null {
  const fields = block.split('\n').map((line) => line.split(/: ?(.*)/s) as [string, string]);
  const valuesOf = (name: string) => fields.flatMap(([field, value]) => (field === name ? [value] : []));
  const data = valuesOf('data');
  if (data.length === 0) return null;
  const [[id], [type]] = [valuesOf('id'), valuesOf('event')];
  return {
    ...(id !== undefined && { id }),
    ...(type !== undefined && { type }),
    data: JSON.parse(data.join('\n')),
  };
}
