/** One load as a text table. */
import type { Pressed } from './press.ts'

const heads = ['request', 'conn', 'answers', 'per s', 'p50 ms', 'p99 ms', 'max ms', 'by status']

export function tableOf(connections: number, pressed: Pressed[]): string {
  const rows = pressed.map(one => [
    one.request,
    String(one.connections),
    String(one.answers),
    String(one.perSecond),
    ...[one.p50, one.p99, one.max].map(ms => String(Math.round(ms))),
    Object.entries(one.statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  ])
  const lines = [heads, heads.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  return [`${connections} connections`, ...lines].join('\n')
}
