import { gzipSync } from 'node:zlib'
import { headers } from '@nats-io/transport-node'
import { openBus } from '@tidemark/bus/connection'
import { storeDeadLetter } from '@tidemark/bus/dead'
import { encodeFrame } from '@tidemark/bus/frame'
import { publish } from '@tidemark/bus/publish'
import { consumers, streams, subjects } from '@tidemark/contracts/subjects'
import { throwawayNats } from '@tidemark/testing/servers'
import { type Test, test } from 'tap'
import { writeRunFile } from '../local/run-file.ts'
import { declareStreams } from '../nats/declare.ts'
import { run } from './dead-letters.ts'
import { momentOf } from './when.ts'

const key = 'tmk_12345678abcdefghijklmnop'

test('Dead letters', async t => {
  const { bus, admin, dig, held } = await surroundings(t)

  await t.test('are listed, the newest first, as many as are wanted', async t => {
    const before = new Date()
    const ids = [await dig('not JSON'), await dig('{}', { stream: 'DELIVERIES', subject: 'deliveries' })]
    t.match(await admin('list'), {
      total: 2,
      letters: [
        { id: ids[1], stream: 'DELIVERIES', consumer: 'webhook', replayable: true },
        {
          id: ids[0],
          stream: 'FETCH',
          consumer: 'fetcher-http',
          subject: 'fetch.http',
          attempt: 3,
          reason: 'Unreadable: not JSON in UTF-8',
          bytes: 8,
        },
      ],
    })
    t.match(await admin('list', '--limit', '1'), { total: 2, letters: [{ id: ids[1] }] })
    t.match(await admin('list', '--stream', 'FETCH'), { total: 1, letters: [{ id: ids[0] }] })
    t.match(await admin('list', '--since', new Date(+before + 3_600_000).toISOString()), { total: 0 })
    t.match(await admin('list', '--since', '1h'), { total: 2 })
    await admin('discard', '--all')
    t.match(await admin('list'), { total: 0, letters: { length: 0 } })
  })

  await t.test('are shown as far as they can be read, and without secrets', async t => {
    const show = async (data: string | Uint8Array) => admin('show', String(await dig(data)))
    const order = { runId: 7, headers: 'sealed2.0123', url: `https://u:pw@a.test/?key=${key}`, attempt: 1 }
    const shown = await show(JSON.stringify(order))
    t.match(shown, {
      contents: {
        form: 'json',
        value: { runId: 7, headers: '[redacted]', url: 'https://[redacted]@a.test/?key=[redacted]' },
      },
    })
    t.notMatch(JSON.stringify(shown), /sealed2|abcdefghijklmnop|pw@/)
    t.match(await show(gzipSync(JSON.stringify({ runId: 8 }))), {
      contents: { form: 'json', value: { runId: 8 } },
    })
    t.match(await show(encodeFrame({ pages: [{ runId: 9 }] }, [Buffer.from('body')])), {
      contents: { form: 'frame', header: { pages: [{ runId: 9 }] }, blobs: [4] },
    })
    t.match(await show(`value of ${key}`), {
      contents: { form: 'unreadable', begins: 'value of tmk_12345678[redacted]' },
    })
    const gone = admin('show', '99999')
    await t.rejects(gone, { exitCode: 1, message: /There is no dead letter 99999/ })
    await admin('discard', '--all')
  })

  await t.test('are redelivered unchanged, once, and then deleted', async t => {
    const id = await dig('{"n":1}', {
      own: { 'X-Own': 'yes', traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` },
    })
    t.match(await admin('replay', String(id)), { ok: true, replayed: [id], left: { length: 0 } })
    const [again] = await held('FETCH')
    t.equal(again?.text, '{"n":1}')
    t.equal(again?.subject, 'fetch.http')
    t.strictSame(again?.names.filter(name => !name.startsWith('Nats-')).sort(), ['X-Own', 'traceparent'])
    t.match(await admin('list'), { total: 0 })
    t.match(await admin('replay', String(id)), { ok: false, left: [{ id, why: 'it does not exist' }] })
    t.equal((await held('FETCH')).length, 1)
  })

  await t.test('are sent once by two who crash in between', async t => {
    const id = await dig('{"n":2}')
    // As a kill between the two steps of sending leaves it.
    await publish(bus, subjects.fetch('http'), '{"n":2}', { id: `replay:${id}` })
    t.match(await admin('replay', '--all'), { ok: true, replayed: [id] })
    t.equal((await held('FETCH')).filter(({ text }) => text === '{"n":2}').length, 1)
  })

  await t.test('stay where sending them would be wrong, and say what helps', async t => {
    const large = await dig(Buffer.alloc(1024 ** 2 + 1))
    const row = await dig('{}', { stream: 'RUNS', consumer: 'runs', subject: subjects.run(7) })
    const bill = await dig('{}', { stream: 'RUNS', consumer: 'bill-runs', subject: subjects.run(7) })
    t.match(await admin('replay', '--all'), {
      ok: false,
      replayed: { length: 0 },
      left: [
        { id: large, why: 'it had 1048577 bytes and was left out' },
        { id: row, why: /after you fix the cause: rebuild-projections --name runs/ },
        { id: bill, why: /nothing rebuilds it/ },
      ],
    })
    t.equal((await held('RUNS')).length, 0)
    t.match(await admin('show', String(large)), { replayable: false, contents: { form: 'left out' } })
    t.match(await admin('discard', String(large), '4711'), { discarded: [large] })
    t.match(await admin('discard', '--all', '--stream', 'RUNS'), { discarded: [row, bill] })
  })

  await t.test('are not guessed at', async t => {
    const wrong = [
      ...[[], ['bury'], ['show'], ['show', '1', '2'], ['show', 'x'], ['replay'], ['replay', '1', '--all']],
      ...[
        ['list', '--limit', '0'],
        ['list', '--stream', 'MINE'],
        ['list', '--since', 'soon'],
        ['list', '1'],
      ],
      ['discard', '1', '--stream', 'FETCH'],
    ]
    for (const args of wrong) await t.rejects(admin(...args), { exitCode: 2, message: /./ })
    const now = Date.parse('2026-11-22T12:00:00Z')
    t.strictSame(
      ['90d', '12h', '30m', '2026-11-21', '2026-11-21T10:00:00+02:00'].map(text =>
        momentOf('since', text, now).toISOString(),
      ),
      [
        '2026-08-24T12:00:00.000Z',
        '2026-11-22T00:00:00.000Z',
        '2026-11-22T11:30:00.000Z',
        '2026-11-21T00:00:00.000Z',
        '2026-11-21T08:00:00.000Z',
      ],
    )
  })
})

type Dug = { stream?: string; consumer?: string; subject?: string; own?: Record<string, string> }

async function surroundings(t: Test) {
  const nats = await throwawayNats()
  t.teardown(() => nats.stop())
  await declareStreams(nats.url)
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const dir = t.testdir()
  const server = (url: string) => ({ url, pid: null })
  const servers = { postgres: server(''), nats: server(nats.url), redis: server('') }
  writeRunFile(dir, { base_url: '', pid: process.pid, ...servers, secrets_key: '', processes: [] })
  let sequence = 0

  const idOf = async () => (await bus.jsm.streams.info(streams.dead)).state.last_seq
  return {
    bus,
    admin: (...args: string[]): Promise<object> => run(args, dir, () => {}),
    /** Dead-letters a message as a consumer would; returns its id. */
    async dig(text: string | Uint8Array, { stream, consumer, subject, own = {} }: Dug = {}): Promise<number> {
      const queue = stream === streams.deliveries ? consumers.webhook : consumers.fetcher('http')
      const given = headers()
      for (const [name, value] of Object.entries({ ...own, 'Nats-Msg-Id': 'first' })) given.set(name, value)
      const data = typeof text === 'string' ? Buffer.from(text) : text
      const message = { subject: subject ?? subjects.fetch('http'), data, headers: given }
      const grave = { stream: stream ?? streams.fetch, consumer: consumer ?? queue }
      const reason = 'Unreadable: not JSON in UTF-8'
      await storeDeadLetter(bus, message, { ...grave, sequence: ++sequence, attempt: 3, reason })
      return idOf()
    },
    /** The messages of a stream. */
    async held(stream: string) {
      const { state } = await bus.jsm.streams.info(stream)
      const all: { subject: string; text: string; names: string[] }[] = []
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
        const message = await bus.jsm.direct.getMessage(stream, { seq })
        if (message === null) continue
        const { subject, data, header } = message
        all.push({ subject, text: Buffer.from(data).toString(), names: header.keys() })
      }
      return all
    },
  }
}
