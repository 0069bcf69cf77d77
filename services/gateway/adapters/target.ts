/** Says early whether an address may be crawled, before anything is stored or dialled. */
import { FetchError } from '@tidemark/http/fetch-error'
import { createGuard } from '@tidemark/http/guard'
import { type Resolver, systemResolver } from '@tidemark/http/resolve'
import { judgeTarget, parseTarget } from '@tidemark/http/target'
import { unusable } from '../domain/crawl-request.ts'
import { ApiProblem } from '../domain/problem.ts'

type Egress = { EGRESS_ALLOW: string[]; SAMPLE_ORIGIN: string }

/** A name that takes longer is let pass; the fetch will say what is wrong with it. */
const resolveMs = 1_000

/** The judge throws `ApiProblem` (`bad_url`, `private_address`) and is silent about what may be crawled. */
export function targetJudge({ EGRESS_ALLOW, SAMPLE_ORIGIN }: Egress, resolver: Resolver = systemResolver) {
  const guard = createGuard({ allow: EGRESS_ALLOW, allowPeers: SAMPLE_ORIGIN === '' ? [] : [SAMPLE_ORIGIN] })
  return async (url: string): Promise<void> => {
    const fault = unusable(url)
    if (fault !== null) throw badUrl(`The address cannot be crawled: ${fault}.`)
    const refusal = await judgeTarget(guard, parse(url), resolver, { timeoutMs: resolveMs })
    if (refusal !== null) throw problemOf(refusal)
  }
}

function parse(url: string): URL {
  try {
    return parseTarget(url)
  } catch (error) {
    throw problemOf(FetchError.from(error))
  }
}

const badUrl = (message: string) =>
  new ApiProblem('invalid_input', { message, reason: 'bad_url', field: 'url' })

const problemOf = ({ code, message }: FetchError) =>
  code === 'private_address'
    ? new ApiProblem('invalid_input', { message, reason: 'private_address', field: 'url' })
    : badUrl(message)
