/** Another process holds the job, or its owner removed it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}
