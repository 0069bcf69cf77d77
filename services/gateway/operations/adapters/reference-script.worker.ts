/** Requests the program from the package's own route, compresses it, and posts it. */
import { hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { constants, gzipSync } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import fastify from 'fastify'

/**
 * The program shows the answers of an operation by status, and has no setting for that: `POST /v1/crawls` would show
 * the 201 of a monitor for a sample that starts a crawl. If the code of a version differs, it shows them in its own
 * order.
 */
const byStatus = 'Object.keys(e.responses??{}).sort()'
const acceptedFirst = 'Object.keys(e.responses??{}).sort((a,b)=>(b==="202")-(a==="202")||(a<b?-1:1))'

const app = fastify()
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, payload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the package of the reference page answers ${statusCode}`)
const program = payload.replace(byStatus, acceptedFirst)
const packed = gzipSync(program, { level: constants.Z_BEST_COMPRESSION })
parentPort?.postMessage({ packed, version: hash('sha256', packed, 'base64url').slice(0, 12) })
