/** The statements of crawl-coordinator: leases, page ids, admissions and deletions. */
import type { Statement } from './pool.scene.ts'
import type { Row } from './tables.ts'

const leases = 'coordinator.shard_lease'
const instances = 'coordinator.instance'
const admissions = 'coordinator.admission'
const keys = 'coordinator.idempotency_key'
const deletions = 'coordinator.deletion'
const requestBytes = 'coordinator.request_bytes'
const outbox = 'coordinator.outbox'
const never = Number.NEGATIVE_INFINITY
const dayMs = 86_400_000
const pageIdBlock = 1_000
const reservationMs = 30_000
const shardCount = 64
/** Runs are only on the shards from 1 to this one, because the simulated coordinators have no others. */
const maxShard = 8

/** The ids of runs, in order. As with an identity column, an id whose transaction failed is not given again. */
const idOf = (nth: number): number =>
  Math.floor((nth - 1) / maxShard) * shardCount + ((nth - 1) % maxShard) + 1

const isHeld = ({ released_at }: Row): boolean => released_at === null

export const ofCoordinator: readonly Statement[] = [
  {
    text: 'insert into coordinator.instance (name, until)',
    run(view, [name, seconds]) {
      const until = view.now + seconds * 1000
      view.upsert(instances, name, { name, until }, () => ({ until }))
      return { rowCount: 1 }
    },
  },
  {
    text: 'update coordinator.shard_lease set until = now() + make_interval(secs => $2) where owner = $1',
    run(view, [owner, seconds]) {
      const held = view.lockRows(leases, row => row.owner === owner)
      for (const [shard] of held) view.update(leases, shard, { until: view.now + seconds * 1000 })
      return held.map(([, row]) => row)
    },
  },
  {
    text: 'select ceil((select count(*) from coordinator.shard_lease)',
    run(view) {
      const alive = view.all(instances).filter(({ until }) => until > view.now).length
      return [{ share: Math.ceil(view.all(leases).length / Math.max(1, alive)) }]
    },
  },
  {
    text: 'update coordinator.shard_lease set owner = $1, epoch = epoch + 1',
    run(view, [owner, seconds, most, order]) {
      const places = order as readonly number[]
      const free = view
        .all(leases)
        .filter(({ owner, until }) => until < view.now || owner === null)
        .sort((a, b) => places.indexOf(a.shard) - places.indexOf(b.shard))
      const taken: Row[] = []
      for (const row of free)
        if (taken.length < most && view.tryLock(`${leases}/${row.shard}`)) taken.push(row)
      for (const { shard, epoch } of taken)
        view.update(leases, shard, { owner, epoch: epoch + 1, until: view.now + seconds * 1000 })
      return taken
    },
  },
  {
    text: `update coordinator.shard_lease set owner = null, until = '-infinity'`,
    run(view, [owner, shards]) {
      const given = view.lockRows(
        leases,
        row => row.owner === owner && (shards as number[]).includes(row.shard),
      )
      for (const [shard] of given) view.update(leases, shard, { owner: null, until: never })
      return { rowCount: given.length }
    },
  },
  {
    text: 'delete from coordinator.instance where name = $1',
    run(view, [name]) {
      if (view.lockRow(instances, name) === undefined) return { rowCount: 0 }
      view.remove(instances, name)
      return { rowCount: 1 }
    },
  },
  { text: `nextval('coordinator.page_id')`, run: view => [{ first: view.next('page_id', pageIdBlock) }] },
  {
    text: 'select project_id, released_at from coordinator.admission where run_id = $1',
    run: (view, [runId]) => [view.get(admissions, runId) ?? []].flat(),
  },
  {
    text: 'select from coordinator.admission where run_id = $1 and not exists (select from coordinator.outbox',
    run(view, [runId, subject]) {
      const isWaiting = view.all(outbox).some(row => row.subject === subject)
      return isWaiting ? [] : [view.get(admissions, runId) ?? []].flat().map(() => ({}))
    },
  },
  {
    text: 'update coordinator.admission set released_at = now(), done_at = $2',
    run(view, [runId, doneAt, reopenings]) {
      const isEnding = (row: Row): boolean => {
        const isThisEnd = row.reopenings <= (reopenings ?? row.reopenings)
        const isExpired = row.reserved_until !== null && row.reserved_until < view.now
        return isHeld(row) && (isThisEnd || isExpired)
      }
      if (view.lockRow(admissions, runId, isEnding) === undefined) return { rowCount: 0 }
      view.update(admissions, runId, { released_at: view.now, done_at: doneAt })
      return { rowCount: 1 }
    },
  },
  { text: 'delete from coordinator.login_session where run_id = $1', run: () => ({ rowCount: 0 }) },
  {
    text: 'update coordinator.admission set reserved_until = null, reopenings = reopenings - case',
    run(view, [runId, isReopened]) {
      const row = view.lockRow(admissions, runId, ({ reserved_until }) => reserved_until !== null)
      if (row === undefined) return { rowCount: 0 }
      const reopenings = row.reopenings - (isReopened ? 0 : 1)
      view.update(admissions, runId, { reserved_until: null, reopenings })
      return { rowCount: 1 }
    },
  },
  {
    text: 'update coordinator.admission set released_at = null, done_at = null, archived_at = null, reopenings = $2',
    run(view, [runId, reopenings]) {
      if (view.lockRow(admissions, runId) === undefined) return { rowCount: 0 }
      const reserved_until = view.now + reservationMs
      view.update(admissions, runId, { released_at: null, done_at: null, reopenings, reserved_until })
      return { rowCount: 1 }
    },
  },
  {
    text: 'select run_id from coordinator.admission where released_at is null and shard = any($1)',
    run: (view, [shards]) =>
      view
        .all(admissions)
        .filter(row => isHeld(row) && (shards as number[]).includes(row.shard))
        .sort((a, b) => a.run_id - b.run_id),
  },
  {
    text: 'select run_id from coordinator.admission where project_id = $1 and released_at is null',
    run: (view, [projectId]) =>
      view.all(admissions).filter(row => isHeld(row) && row.project_id === projectId),
  },
  {
    text: 'select run_id from coordinator.admission where project_id = $1 and released_at is null and likeness = $2',
    run: (view, [projectId, likeness]) =>
      view
        .all(admissions)
        .filter(row => isHeld(row) && row.project_id === projectId && row.likeness === likeness),
  },
  {
    text: 'insert into coordinator.admission (project_id, enqueued_at, url, likeness)',
    run(view, [project_id, at, url, likeness, bytes, limit]) {
      const day = Math.floor(view.now / dayMs)
      // The first request of a day is always within the limit.
      const spent = view.upsert(requestBytes, project_id, { project_id, day, bytes }, before => {
        if (before.day < day) return { day, bytes }
        return before.bytes + bytes <= limit ? { bytes: before.bytes + bytes } : null
      })
      if (spent === null) return []
      const run_id = idOf(view.next('run_id'))
      const states = { released_at: null, done_at: null, reopenings: 0, reserved_until: null }
      const shard = run_id % shardCount
      const row = { run_id, project_id, enqueued_at: new Date(at), url, likeness, shard, ...states }
      view.put(admissions, run_id, row)
      return [row]
    },
  },
  {
    text: 'insert into coordinator.idempotency_key (project_id, key, run_id, fingerprint, created_at)',
    run(view, [project_id, key, run_id, fingerprint]) {
      const kept = { run_id, fingerprint, created_at: view.now }
      view.upsert(keys, `${project_id} ${key}`, { project_id, key, ...kept }, () => kept)
      return { rowCount: 1 }
    },
  },
  {
    text: 'from coordinator.idempotency_key join coordinator.admission using (run_id)',
    run(view, [projectId, key]) {
      const found = view.get(keys, `${projectId} ${key}`)
      if (found === undefined || found.created_at <= view.now - dayMs) return []
      const admitted = view.get(admissions, found.run_id)
      return admitted === undefined ? [] : [{ ...admitted, fingerprint: found.fingerprint }]
    },
  },
  {
    text: 'delete from coordinator.outbox where id = $1',
    run(view, [id]) {
      if (view.lockRow(outbox, id) === undefined) return { rowCount: 0 }
      view.remove(outbox, id)
      return { rowCount: 1 }
    },
  },
  {
    text: 'delete from coordinator.idempotency_key where run_id = $1',
    run(view, [runId]) {
      const found = view.lockRows(keys, ({ run_id }) => run_id === runId)
      for (const [name] of found) view.remove(keys, name)
      return { rowCount: found.length }
    },
  },
  {
    text: 'delete from coordinator.admission where run_id = $1',
    run(view, [runId, bytes]) {
      const withdrawn = view.lockRow(admissions, runId)
      if (withdrawn === undefined) return { rowCount: 0 }
      view.remove(admissions, runId)
      const spent = view.lockRow(requestBytes, withdrawn.project_id, row => row.bytes >= bytes)
      if (spent === undefined) return { rowCount: 0 }
      view.update(requestBytes, withdrawn.project_id, { bytes: spent.bytes - bytes })
      return { rowCount: 1 }
    },
  },
  {
    // The time of the request is not simulated.
    text: 'insert into coordinator.deletion as known (run_id) values',
    run(view, [run_id]) {
      const wanted = { run_id, sequence: null }
      const row = view.upsert(deletions, run_id, wanted, ({ sequence }) => (sequence === null ? {} : null))
      return { rowCount: row === null ? 0 : 1 }
    },
  },
  {
    text: 'insert into coordinator.deletion (run_id, sequence) values',
    run(view, [run_id, sequence]) {
      view.upsert(deletions, run_id, { run_id, sequence }, () => ({ sequence }))
      return { rowCount: 1 }
    },
  },
  {
    // The simulation archives no runs.
    text: 'from content.archive where run_id = $1 and last_seq > $2',
    run: () => [],
  },
]
