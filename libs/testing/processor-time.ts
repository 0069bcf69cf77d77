/** The processor time of work in this process, which hardly depends on other load, unlike its duration. */

/** Runs the work. Returns its result, and the milliseconds that all threads of this process computed meanwhile. */
export async function measured<Result>(
  work: () => Result,
): Promise<{ result: Awaited<Result>; processorMs: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, processorMs: (user + system) / 1_000 }
}
