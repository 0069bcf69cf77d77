/** `GET /v1/pages/{id}/screenshot`: the screenshot of a stored page. */
import { type ObjectBodies, openContent } from '@tidemark/content/store'
import { PageParams } from '@tidemark/contracts/http/pages'
import type { OfProject } from '@tidemark/db/of-project'
import { decodeBody } from '@tidemark/http/decode'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import type { PageReads } from './adapters/page-reads.ts'

type Ports = {
  pages: Pick<PageReads, 'find'>
  reads: OfProject
  /** Undefined if all bodies are in Postgres. */
  objectBodies: ObjectBodies | undefined
}

const mediaType = 'image/png'
const pictureAnswer = { content: { [mediaType]: { schema: Type.String() } } }
/** Limits the size of a damaged screenshot. Valid ones are far smaller. */
const maxBytes = 64 * 1024 ** 2

export function pageScreenshotRoute(app: App, { pages, reads, objectBodies }: Ports): void {
  app.get(
    '/v1/pages/:id/screenshot',
    {
      schema: {
        operationId: 'getPageScreenshot',
        summary: 'Read the screenshot of a page',
        tags: ['Pages'],
        description:
          'The PNG of a page that a browser rendered in a crawl with `screenshots`, as wide as its window. Long pages are cut at the bottom. Nothing is fetched, and nothing is billed.',
        params: PageParams,
        response: { 200: pictureAnswer },
      },
    },
    async ({ params, caller: { projectId } }, answer) => {
      const reply: FastifyReply = answer
      const page = found(await pages.find(projectId, params.id))
      const picture = await openContent(reads(projectId), objectBodies).readPicture(page.runId, page.urlKey)
      if (picture === null) throw new ApiProblem('not_found', { message: noPicture })
      return reply.type(mediaType).send(decodeBody(picture.body, picture.encodings, maxBytes))
    },
  )
}

const noPicture =
  'This page has no screenshot. Crawl it again with screenshots true and render always; pages that no browser rendered have none.'
