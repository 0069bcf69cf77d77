/** Long answers travel packed: tens of thousands of addresses are ten times as large as what they say. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { atMost } from '@tidemark/bus/at-most'

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

/** Each holds the addresses that it has collected and one body or two, for which there is a bound of its own. */
const mostAtOnce = 8

/** A handler whose answer is JSON in gzip. The handler refuses (503) what would be too much at once. */
export const packed = <Question>(handle: (question: Question) => Promise<object>) =>
  atMost(mostAtOnce, async (question: Question) =>
    gzip(Buffer.from(JSON.stringify(await handle(question))), { level: 1 }),
  )
