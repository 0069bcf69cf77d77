/** The parts of undici and htmlparser2 that the floor uses. */

export type Undici = {
  Pool: new (
    origin: string,
    options: { connections: number },
  ) => {
    request(options: { method: string; path: string; headers: Record<string, string> }): Promise<{
      statusCode: number
      body: { arrayBuffer(): Promise<ArrayBuffer> }
    }>
  }
}

export type HtmlParser = {
  Parser: new (handler: {
    onopentag(name: string, attributes: Record<string, string | undefined>): void
    ontext(text: string): void
    onclosetag(): void
  }) => { end(html: string): void }
}
