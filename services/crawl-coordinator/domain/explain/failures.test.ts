/** The sentences of failed URLs. */
import { fetchCodes } from '@tidemark/http/fetch-error'
import { test } from 'tap'
import { decide } from '../decide.ts'
import { at, begun, circumstances, decider, failed, settle } from '../run.examples.ts'
import { type Run, unknown } from '../run.ts'
import { collectFailures } from './failures.ts'

/** Reasons that never end a page of a crawl: they belong to scans, or another backend fetches the page instead. */
const others = ['action_failed', 'vendor', 'not_configured', 'aborted']
const reasons = Object.keys(fetchCodes).filter(code => !others.includes(code))

test('Each reason for a failed seed has a sentence that does not show its code', async t => {
  for (const reason of reasons) {
    const run = begun().reduce(decider.evolve, unknown as Run)
    const { events } = decide(run, settle(failed('/', reason)), circumstances())
    const failures = collectFailures()
    failures.add({ sequence: 1, commit: { at, events } })
    const [{ sentence = '' } = {}] = failures.found
    t.notMatch(sentence, 'could not be fetched', reason)
    t.match(events, [{ type: 'PagesFailed' }, { data: { errorMessage: sentence } }], 'the crawl shows it too')
  }
})
