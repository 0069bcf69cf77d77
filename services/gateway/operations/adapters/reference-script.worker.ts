/** Reads the script from the package, compresses it, and posts it to the main thread. */
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

const app = fastify()
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, payload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the package of the reference page answers ${statusCode}`)
const program = payload.replace(byStatus, acceptedFirst)
const packed = gzipSync(program, { level: constants.Z_BEST_COMPRESSION })
parentPort?.postMessage({ packed, version: hash('sha256', packed, 'base64url').slice(0, 12) })
