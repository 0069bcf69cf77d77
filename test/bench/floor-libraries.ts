/** The parts of undici and htmlparser2 that the floor uses. */

export type Undici = {
  Agent: new (options: {
    connections: number
  }) => {
    request(options: {
      origin: string
      method: string
      path: string
      headers: Record<string, string>
      body?: string
    }): Promise<{
      statusCode: number
      body: { arrayBuffer(): Promise<ArrayBuffer>; dump(): Promise<void> }
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
