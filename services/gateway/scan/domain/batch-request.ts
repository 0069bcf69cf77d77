/** Converts a request for a batch to the request to the extractor. */
import type { BatchOptions } from '@tidemark/contracts/batches/events'
import { type BatchRequest, batchConcurrency } from '@tidemark/contracts/http/scan-batch'
import { replaceUser } from '@tidemark/contracts/plain-text'
import { maxUrlLength } from '@tidemark/url/normal-form'
import { refusal } from '../../http/domain/refusal.ts'
import { boundedConcurrency } from './concurrency.ts'

/** Maximum number of characters of all URLs, because they travel in one message. */
const maxCharacters = 2_000_000

/**
 * Returns the URLs as they are stored: too long ones are cut to a length that is still too long, and a user and password
 * are replaced. Both stay invalid. Throws ApiProblem if they are too long together.
 */
export function storedUrls(urls: readonly string[]): string[] {
  const stored = urls.map(url => replaceUser(url.slice(0, maxUrlLength + 1), '***:***@'))
  const characters = stored.reduce((sum, url) => sum + url.length, 0)
  if (characters > maxCharacters)
    throw refusal(
      'urls',
      'out_of_range',
      `The URLs of urls may have 2,000,000 characters together; ${characters} were sent. Divide the list into several batches.`,
    )
  return stored
}

export const optionsOf = (request: BatchRequest, warn: (warning: string) => void): BatchOptions => ({
  ...(request.metadata_only && { metadataOnly: true as const }),
  ...(request.max_age_seconds !== undefined && { maxAgeSeconds: request.max_age_seconds }),
  ...(request.user_agent !== undefined && { userAgent: request.user_agent }),
  concurrency: boundedConcurrency(request.concurrency, batchConcurrency.max, warn),
})
