/** Calls of the adapters of crawl-coordinator. */
import { openArchives } from '@tidemark/content/archive'
import { subjects } from '@tidemark/contracts/subjects'
import fc from 'fast-check'
import { admissions } from '../../../../services/crawl-coordinator/adapters/admissions.ts'
import { deletions } from '../../../../services/crawl-coordinator/adapters/deletions.ts'
import { leases } from '../../../../services/crawl-coordinator/adapters/leases.ts'
import { pageIds } from '../../../../services/crawl-coordinator/adapters/page-ids.ts'
import { projectId, type Random, random, runId } from './call.scene.ts'
import { ofCheckpoints, ofOutbox } from './of-libs.scene.ts'

const at = '2026-01-31T08:00:00.000Z'
const refusal = { status: 422, code: 'invalid', message: 'The request is invalid.' }
const key = fc.constantFrom('k', 'l')
const fingerprint = fc.constantFrom('f', 'g')
const likeness = fc.constantFrom('same', 'other')
const nth = fc.integer({ min: 1, max: 2 })
const owner = fc.constantFrom('one', 'two')

const wanted = fc.record({
  projectId,
  fingerprint,
  url: fc.constantFrom('https://a.example/', 'https://b.example/'),
  key: fc.option(key),
  likeness: fc.option(likeness),
  // Runs that are returned by their age are not simulated.
  maxAgeSeconds: fc.constant(null),
  request: fc.record({ bytes: fc.constantFrom(10, 20, 30), limit: fc.constantFrom(20, 40, 1_000) }),
  refusal: fc.nat(9).map(n => (n === 0 ? refusal : null)),
  at: fc.constant(at),
})

const announce = (runId: number) => ({ subject: subjects.run(runId), payload: Buffer.from(`run ${runId}`) })

const admit = random('admit', wanted, (db, wanted) => admissions(db).admit(wanted, announce), 6)

/** Calls that create rows. */
export const firstOfCoordinator: readonly Random[] = [admit]

export const ofCoordinator: readonly Random[] = [
  ...ofCheckpoints('coordinator'),
  ...ofOutbox('coordinator'),
  admit,
  random('earlier', fc.record({ projectId, key, fingerprint }), (db, asked) => admissions(db).earlier(asked)),
  random('find', runId, (db, runId) => admissions(db).find(runId), 1),
  random('isAnnounced', runId, (db, runId) => admissions(db).isAnnounced(runId), 1),
  random(
    'release',
    fc.record({ runId, doneAt: fc.option(fc.constant(at)), reopenings: fc.option(fc.nat(1)) }),
    (db, { runId, doneAt, reopenings }) => admissions(db).release(runId, doneAt, reopenings),
    4,
  ),
  random('reserve', fc.record({ runId, projectId, nth }), (db, run) => admissions(db).reserve(run), 4),
  random('settle', fc.tuple(runId, fc.boolean()), (db, settled) => admissions(db).settle(...settled), 3),
  random(
    'withdraw',
    fc.record({ runId, outboxId: runId, requestBytes: fc.constantFrom(10, 20, 30) }),
    (db, run) => admissions(db).withdraw(run, async () => false),
    4,
  ),
  random('heldAlike', fc.tuple(projectId, likeness), (db, asked) => admissions(db).heldAlike(...asked), 1),
  random('held', fc.subarray([1, 2, 3, 4]), (db, shards) => admissions(db).held(shards), 1),
  random('intend', runId, ({ pool }, runId) => deletions(pool).intend(runId)),
  random('note', fc.tuple(runId, fc.nat(2)), ({ pool }, noted) => deletions(pool).note(...noted)),
  random('renew', owner, ({ pool }, owner) => leases(pool, owner).renew(), 4),
  random('giveBack', owner, ({ pool }, owner) => leases(pool, owner).release()),
  random('archive', runId, ({ pool }, runId) => openArchives(pool).read(runId), 1),
  random('pageIds', fc.constantFrom(1, 1_001), ({ pool }, count) => pageIds(pool).reserve(count, 0), 1),
]
