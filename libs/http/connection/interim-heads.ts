/**
 * Lets undici read a page after `100 Continue`. Any client may receive that status (RFC 9110, 15.2), but undici
 * treats it as an error and closes the connection. It accepts other interim heads, so a 100 is passed on as a 102.
 */
import type net from 'node:net'

const statusLine = 'HTTP/1.1 1'
const statusBytes = 'HTTP/1.1 100'.length
const headEnd = '\r\n\r\n'
/** Maximum bytes of one interim head. A longer one is passed on unchanged. */
const maxHeadBytes = 16_384

const one = 0x31
const zero = 0x30
const two = 0x32

/**
 * Returns the socket, with replaced `read` and `write`.
 * @param socket for undici only, with one request at a time: its next response begins after each write
 */
export function readingInterimHeads<S extends net.Socket>(socket: S): S {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...values: unknown[]) => boolean
  let awaitsHead = false
  let held: Buffer | null = null

  socket.write = (...values: unknown[]) => {
    awaitsHead = true
    return write(...values)
  }
  socket.read = (size?: number) => {
    const piece: Buffer | null = read(size)
    return piece === null || !awaitsHead ? piece : passed(piece)
  }
  return socket

  /** Returns the complete part of the received bytes; null: nothing is complete. */
  function passed(piece: Buffer): Buffer | null {
    const bytes = held === null ? piece : Buffer.concat([held, piece])
    held = null
    let at = 0
    while (mayBeInterim(bytes, at)) {
      const end = bytes.indexOf(headEnd, at)
      if (end === -1 && bytes.length - at < maxHeadBytes) {
        held = bytes.subarray(at)
        return at === 0 ? null : bytes.subarray(0, at)
      }
      if (isContinue(bytes, at)) bytes[at + statusBytes - 1] = two
      if (end === -1) break
      at = end + headEnd.length
      if (at === bytes.length) return bytes
    }
    awaitsHead = false
    return bytes
  }
}

/** Returns whether an interim head may begin there, judging by the bytes so far. */
function mayBeInterim(bytes: Buffer, at: number): boolean {
  const length = Math.min(statusLine.length, bytes.length - at)
  for (let byte = 0; byte < length; byte++) {
    if (bytes[at + byte] !== statusLine.charCodeAt(byte)) return false
  }
  return true
}

const isContinue = (bytes: Buffer, at: number): boolean =>
  bytes[at + statusBytes - 3] === one &&
  bytes[at + statusBytes - 2] === zero &&
  bytes[at + statusBytes - 1] === zero
