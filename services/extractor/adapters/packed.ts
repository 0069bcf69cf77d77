/** Long answers travel packed: tens of thousands of addresses are ten times as large as what they say. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Refusal } from '@tidemark/bus/ask'
import { problems } from '@tidemark/contracts/problems'

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

/** Each holds up to some tens of MB. */
const mostAtOnce = 8

/** A handler whose answer is JSON in gzip. The handler refuses (503) what would be too much at once. */
export function packed<Question>(handle: (question: Question) => Promise<object>) {
  let underWay = 0
  return async (question: Question): Promise<Buffer> => {
    if (underWay >= mostAtOnce) throw busy()
    underWay += 1
    try {
      return await gzip(Buffer.from(JSON.stringify(await handle(question))), { level: 1 })
    } finally {
      underWay -= 1
    }
  }
}

function busy(): Refusal {
  const { status, says: message } = problems.unavailable
  return new Refusal({ status, code: 'unavailable', message, retryAfterSeconds: 5 })
}
