/** Validates the domain and the path of a scraper request. */
import { ApiProblem } from '../../http/domain/problem.ts'

const maxDomainLength = 253
const maxPathLength = 2_048

/**
 * Returns the domain in lower case and the path; null: the first page. Throws `ApiProblem` (422) for a domain or path
 * that no scraper can have.
 */
export function scraperPath(
  domain: string,
  path: string | undefined,
): { domain: string; path: string | null } {
  const name = domain.toLowerCase()
  if (!/^[a-z0-9.-]+$/.test(name) || name.length > maxDomainLength) {
    throw bad('domain', 'domain must be one of GET /v1/cloud/scrapers.')
  }
  if (path === undefined || path === '') return { domain: name, path: null }
  if (path.length > maxPathLength) throw bad('path', `path must have at most ${maxPathLength} characters.`)
  if (!path.isWellFormed() || /\p{Cc}/u.test(path)) {
    throw bad('path', 'path must be text without control characters.')
  }
  return { domain: name, path }
}

const bad = (field: string, message: string) =>
  new ApiProblem('invalid_input', { status: 422, reason: 'bad_value', field, message })
