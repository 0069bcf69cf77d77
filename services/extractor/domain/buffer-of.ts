/** Returns a view of the bytes. Bytes from another thread or from the bus arrive as plain arrays. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBufferLike>): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
