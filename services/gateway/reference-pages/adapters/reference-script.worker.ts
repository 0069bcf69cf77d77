/** Reads the script from the package, puts our own before it, compresses both, and posts it to the main thread. */
import { hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { constants, gzipSync } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import fastify from 'fastify'

/**
 * Code of the script that sorts the responses of an operation by status. It is replaced, so that `POST /v1/crawls`
 * shows 202 before the 201 of a monitor. If another version has different code, nothing is replaced.
 */
const byStatus = 'Object.keys(e.responses??{}).sort()'
const acceptedFirst = 'Object.keys(e.responses??{}).sort((a,b)=>(b==="202")-(a==="202")||(a<b?-1:1))'

/**
 * The script that fills in the key of an address such as `/docs#key=tmk_…`. Browsers never send a fragment to a server, and
 * the script removes it from the address and the history. The key stays in the memory of the page.
 */
const keyScript = `(() => {
  addEventListener('hashchange', () => /[#&]key=/.test(location.hash) && location.reload())
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key === null) return
  history.replaceState(null, '', location.pathname + location.search)
  const reference = document.getElementById('api-reference')
  const configuration = JSON.parse(reference.dataset.configuration)
  configuration.authentication.securitySchemes = { bearer: { token: key } }
  reference.dataset.configuration = JSON.stringify(configuration)
})();
`

const app = fastify()
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, payload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the package of the reference page answers ${statusCode}`)
const program = keyScript + payload.replace(byStatus, acceptedFirst)
const packed = gzipSync(program, { level: constants.Z_BEST_COMPRESSION })
parentPort?.postMessage({ packed, version: hash('sha256', packed, 'base64url').slice(0, 12) })
