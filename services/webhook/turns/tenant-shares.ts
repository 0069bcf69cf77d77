/**
 * So many places for the deliveries of one project and no more, however many hosts it names: the others' come through.
 * Retries have as many again, for each has its promised time.
 */

export type TenantShares = {
  /** A place, given back when disposed; null when its share is used up. */
  take(projectId: number, order: { isRetry: boolean }): Disposable | null
}

export function tenantShares(most: number): TenantShares {
  const inUse = new Map<number, number>()

  return {
    take(projectId, { isRetry }) {
      const used = inUse.get(projectId) ?? 0
      if (used >= (isRetry ? 2 * most : most)) return null
      inUse.set(projectId, used + 1)
      return { [Symbol.dispose]: () => giveBack(projectId) }
    },
  }

  function giveBack(projectId: number): void {
    const left = (inUse.get(projectId) ?? 1) - 1
    if (left === 0) inUse.delete(projectId)
    else inUse.set(projectId, left)
  }
}
