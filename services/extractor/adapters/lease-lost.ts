/** Thrown if another process holds the job, or the job was removed. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}
