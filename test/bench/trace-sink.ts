/** A collector of traces that discards everything. It runs in the process of the bench, whose costs are not counted. */
import { createServer } from 'node:http'
import { listening } from '@tidemark/testing/listening'

export const startTraceSink = (): Promise<AsyncDisposable & { url: string }> =>
  listening(
    createServer((request, response) => {
      request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{}'))
    }),
  )
