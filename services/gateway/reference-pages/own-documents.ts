/** Routes for our own documentation as Markdown: `/llms.txt`, `/llms-full.txt` and `/docs/*.md`. They are public. */
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { openDocuments } from './adapters/documents.ts'
import { llmsFullTxt, llmsTxt, servedText } from './domain/llms-txt.ts'

const hidden = { hide: true }
const params = Type.Object({ '*': Type.String() })
const markdown = 'text/markdown; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
/** Each process reads the documents once, and responses carry an `ETag`. */
const cached = 'public, max-age=300'

export function ownDocumentRoutes(app: App): void {
  const read = openDocuments()
  for (const [path, make] of [
    ['/llms.txt', llmsTxt],
    ['/llms-full.txt', llmsFullTxt],
  ] as const)
    app.get(path, { schema: hidden }, async (_request, reply) =>
      reply
        .header('cache-control', cached)
        .type(markdown)
        .send(make(await read())),
    )

  app.get('/docs/*', { schema: { ...hidden, params } }, async (request, reply) => {
    const path = request.params['*']
    const documents = await read()
    if (!documents.has(path))
      throw new ApiProblem('not_found', {
        message: `There is no document with this name. /llms.txt lists all documents.`,
      })
    const isText = path.endsWith('.md')
    return reply
      .header('cache-control', cached)
      .type(isText ? markdown : script)
      .send(isText ? servedText(path, documents) : documents.get(path))
  })
}
