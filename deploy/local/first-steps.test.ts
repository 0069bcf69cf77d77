/** The first steps of a start on an existing data folder, with a fake instance. */
import http from 'node:http'
import path from 'node:path'
import { listening } from '@tidemark/testing/listening'
import { type Test, test } from 'tap'
import { command } from './command.ts'
import { type FirstKey, writeFirstKey } from './first-key.ts'
import { folder } from './local.examples.ts'

const first = { project_id: 1, api_key: 'tmk_first', prefix: 'tmk_fi', run: { id: 1, page: 2 } }

test('A start on an existing data folder', async t => {
  await t.test('prints the key and requests that work', async t => {
    const printed = await start(t, 200)
    t.match(printed, 'API key of the project "first" (unlimited): tmk_first')
    t.equal(printed.split('curl ').length, 4)
    t.match(printed, /operator screen/)
  })

  await t.test('prints no request for a sample crawl that was deleted', async t => {
    const printed = await start(t, 404)
    t.match(printed, 'API key of the project "first" (unlimited): tmk_first')
    t.notMatch(printed, /curl/)
  })

  await t.test('names the command for another key if the first one was revoked', async t => {
    const printed = await start(t, 401)
    t.notMatch(printed, 'tmk_first')
    t.notMatch(printed, /curl/)
    t.match(printed, 'npm run admin -- create-key --name first')
    t.match(printed, /operator screen/)
  })

  await t.test('prints the address of the operator screen if the project cannot be created', async t => {
    const printed = await start(t, 200, null)
    t.match(printed, 'the project "first" was not created: No Tidemark runs in')
    t.match(printed, /operator screen/)
  })
})

/** Returns the output of a start whose instance responds to every request of the first key with this status. */
async function start(t: Test, status: number, known: FirstKey | null = first): Promise<string> {
  const dir = folder(t)
  if (known !== null) writeFirstKey(dir, known)
  const server = http.createServer((_request, response) => response.writeHead(status).end('{}'))
  const { url: base, close } = await listening(server)
  t.teardown(close)
  const program = `
    const { firstSteps } = await import(${JSON.stringify(path.join(import.meta.dirname, 'first-steps.ts'))})
    const { signal } = new AbortController()
    await firstSteps({ dir: ${JSON.stringify(dir)}, base: '${base}', sample: null, url: undefined, signal })`
  const { code, output } = await command(process.execPath, ['--input-type=module', '-e', program])
  t.equal(code, 0, output)
  return output
}
