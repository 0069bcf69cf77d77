/**
 * `POST /v1/cloud/render`: renders a page or takes its screenshot. Also serves the deprecated `/v1/cloud/screenshot`.
 */
import { CloudPage, type ReturnFormat } from '@tidemark/contracts/http/cloud/page'
import { RenderRequest, ScreenshotRequest } from '@tidemark/contracts/http/cloud/render'
import { type Operation, priceText } from '@tidemark/contracts/prices'
import type { GetPage } from '@tidemark/contracts/rpc/cloud'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { rangesOf } from '../http/domain/accept.ts'
import { vary } from '../http/requests/vary.ts'
import { costFields, pageFields, pageWarnings } from '../live-pages/domain/page-fields.ts'
import { wantedIn } from './domain/return-format.ts'
import { type Billed, fetchAndBillPage } from './get-billed.ts'
import type { CloudPorts } from './ports.ts'
import { cloudPage } from './scrape.ts'

type Rendered = { url: string; return_format: Format; wait_for: GetPage['waitFor'] } & Pick<
  GetPage,
  'actions'
>
type Format = Exclude<ReturnFormat, 'commonmark'>

const pngType = 'image/png'

export function renderRoutes(app: App, ports: CloudPorts): void {
  app.post(
    '/v1/cloud/render',
    {
      schema: {
        operationId: 'cloudRender',
        summary: 'Fetch a page rendered by a browser',
        description: `Runs the scripts of the page. That can take a minute: wait at least 90 seconds. Clients that prefer \`image/png\` receive a screenshot as PNG. ${priceText('cloud_render')}`,
        tags: ['Cloud'],
        body: RenderRequest,
        response: { 200: CloudPage },
      },
    },
    async (request, reply) => {
      const { body, sentFields, headers } = request
      const isPicture = !sentFields.has('return_format') && prefersPng(headers.accept)
      const rendered: Rendered = isPicture ? { ...body, return_format: 'png' } : body
      return render(request, reply, rendered, 'cloud_render')
    },
  )

  app.post(
    '/v1/cloud/screenshot',
    {
      config: { deprecated: { since: '2026-11-22', successor: '/v1/cloud/render' } },
      schema: {
        operationId: 'cloudScreenshot',
        summary: 'Take a screenshot of a page',
        description: `Send \`return_format\` png to \`POST /v1/cloud/render\` instead. ${priceText('cloud_screenshot')}`,
        tags: ['Cloud'],
        body: ScreenshotRequest,
        response: { 200: CloudPage },
      },
    },
    async (request, reply) =>
      render(request, reply, { ...request.body, return_format: 'png' }, 'cloud_screenshot'),
  )

  async function render(
    request: Pick<FastifyRequest, 'caller' | 'id' | 'warnings' | 'headers'>,
    reply: FastifyReply,
    { url, return_format: format, wait_for: waitFor, actions }: Rendered,
    operation: Operation,
  ) {
    const picture = format === 'png'
    const means = { is: 'browser' } as const
    const options = { url, means, wanted: wantedIn(format), waitFor, picture, ...(actions && { actions }) }
    const billed = await fetchAndBillPage(ports, { request, reply, operation }, options)
    vary(reply, 'accept')
    if (format !== 'png') return cloudPage(billed, format, request.warnings)
    const page = pictureOf(billed, request.warnings)
    if (!prefersPng(request.headers.accept)) return page
    request.warnings.push(...pageWarnings(billed.got))
    return reply.type(pngType).send(Buffer.from(page.content, 'base64'))
  }
}

const pictureOf = ({ got, costUsd, elapsedMs }: Billed, warnings: readonly string[]): CloudPage => ({
  content: got.picture ?? '',
  ...pageFields(got),
  ...costFields(costUsd, elapsedMs, [...warnings, ...pageWarnings(got)]),
})

/** Returns true for clients that name PNG, unless they prefer plain JSON (RFC 9110, 12.5.1). */
function prefersPng(accept: string | undefined): boolean {
  const ranges = rangesOf(accept)
  const weightOf = (type: string) => ranges.find(range => range.type === type)?.weight
  const png = weightOf(pngType) ?? weightOf('image/*') ?? 0
  return png > 0 && png >= (weightOf('application/json') ?? weightOf('application/*') ?? 0)
}
