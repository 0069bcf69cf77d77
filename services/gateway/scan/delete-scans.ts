/** `DELETE /v1/scans`: deletes the stored pages of scans of one address. */
import { DeletedScans, DeleteScansQuery } from '@tidemark/contracts/http/scan'
import type { App } from '../app.ts'
import { unusable } from '../http/domain/address.ts'
import { refusal } from '../http/domain/refusal.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'

export function deleteScansRoute(app: App, { contents }: { contents: Pick<Contents, 'deleteScans'> }): void {
  app.delete(
    '/v1/scans',
    {
      schema: {
        operationId: 'deleteScans',
        summary: 'Delete the stored page of a scan',
        tags: ['Scans'],
        description:
          'Deletes what scans of the project stored of a URL for `max_age_seconds`. Pages of crawls, results of batches and the bill stay.',
        querystring: DeleteScansQuery,
        response: { 200: DeletedScans },
      },
    },
    async ({ caller: { projectId }, query: { url } }) => {
      const fault = unusable(url)
      if (fault !== null)
        throw refusal(
          'url',
          'bad_url',
          `The URL cannot have been scanned: ${fault}. Send the URL of the scan.`,
        )
      return { deleted: await contents.deleteScans({ projectId, url }) }
    },
  )
}
