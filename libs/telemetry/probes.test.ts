import { channel } from 'node:diagnostics_channel'
import { type HealthNews, healthChannel, type ServiceHealth } from '@tidemark/contracts/health'
import { test } from 'tap'
import { openProbes } from './probes.ts'

const publish = (news: HealthNews) => channel(healthChannel).publish(news)
const well: ServiceHealth = { starting: [], faults: [], warnings: [] }

test('Probes of a process', async t => {
  const probes = openProbes()
  let health: ServiceHealth = { ...well, starting: ['starting: reader of WORK has not been found yet'] }

  await t.test('report that it lives, and that it has not started before its services have', async t => {
    t.match(probes['/livez'](), { status: 'pass', causes: { length: 0 } })
    for (const path of ['/startupz', '/readyz'] as const)
      t.match(probes[path](), { status: 'fail', causes: [{ service: 'process', cause: 'starting' }] })
  })

  await t.test(
    'name missing dependencies of the start, and never those that were available once',
    async t => {
      publish({ service: 'reader', instance: 'one', look: () => health })
      publish({ process: 'started' })
      const waits = [{ service: 'reader', cause: 'starting', says: 'reader of WORK has not been found yet' }]
      t.strictSame(probes['/startupz']().causes, waits)
      t.strictSame(probes['/readyz']().causes, waits)
      const started = { ...health, starting: [] }
      health = started
      t.equal(probes['/startupz']().status, 'pass')
      health = { ...started, starting: ['starting: another queue'] }
      t.equal(probes['/startupz']().status, 'pass')
      t.equal(probes['/readyz']().status, 'pass')
    },
  )

  await t.test('name each cause, and unknown ones as "other"', async t => {
    health = {
      ...well,
      faults: ['disk_full: no space', 'all is lost: indeed'],
      warnings: ['projection_lag: far'],
    }
    t.strictSame(probes['/readyz'](), {
      status: 'fail',
      causes: [
        { service: 'reader', cause: 'disk_full', says: 'no space' },
        { service: 'reader', cause: 'other', says: 'all is lost: indeed' },
      ],
      warnings: [{ service: 'reader', cause: 'projection_lag', says: 'far' }],
    })
    t.equal(probes['/livez']().status, 'pass')
    health = { ...well, warnings: ['2 mails wait'] }
    t.match(probes['/readyz'](), { status: 'pass', warnings: [{ cause: 'other', says: '2 mails wait' }] })
  })

  await t.test('report that it stops, without the causes of services that have ended', async t => {
    health = { ...well, faults: ['nats_away: gone'] }
    publish({ process: 'stopping' })
    publish({ service: 'reader', instance: 'one', look: null })
    t.match(probes['/readyz']().causes, [{ service: 'process', cause: 'stopping' }])
    t.equal(probes['/readyz']().causes.length, 1)
  })
})
