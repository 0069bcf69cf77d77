/** Cuts a robots.txt that is too long to be read as a whole. */

const [lineFeed, carriageReturn] = [10, 13]

/**
 * Returns the bytes up to the last line break (CR, LF or CRLF); none if there is no line break. Half a line is another
 * rule: `Disallow: /` instead of `Disallow: /private`.
 * @param start the bytes of the file before the limit
 */
export const completeLines = (start: Uint8Array): Uint8Array =>
  start.subarray(0, Math.max(start.lastIndexOf(lineFeed), start.lastIndexOf(carriageReturn)) + 1)
