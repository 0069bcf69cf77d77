/** A trace as a picture: each span is a bar in the colour of its service, below its parent; links are arrows. */
import type { ReceivedSpan } from '@tidemark/testing/otlp'
import { type Row, rowsOf } from './rows.ts'

const colours: Record<string, string> = {
  gateway: '#4c78a8',
  'auth-billing': '#9d755d',
  'crawl-coordinator': '#e45756',
  fetcher: '#f2a33a',
  extractor: '#54a24b',
  projector: '#72b7b2',
  'usage-ledger': '#b279a2',
  webhook: '#c8378c',
  scheduler: '#79706e',
}
const other = '#bbbbbb'

const rowHeight = 12
const top = 58
const [nameWidth, timeWidth, margin] = [300, 640, 12]
const width = margin + nameWidth + timeWidth + 70

/**
 * Returns the picture as SVG.
 * @param begins the first spans of the picture; it also shows all spans that followed from them
 */
export function pictureOf(spans: readonly ReceivedSpan[], begins: readonly ReceivedSpan[]): string {
  const rows = rowsOf(spans, begins)
  const [from, to] = [
    Math.min(...rows.map(({ span }) => span.startMs)),
    Math.max(...rows.map(({ span }) => span.endMs)),
  ]
  const x = (ms: number) => round(margin + nameWidth + ((ms - from) / (to - from || 1)) * timeWidth)
  const positions = new Map(rows.map((row, n) => [row.span.spanId, { row, y: top + n * rowHeight }]))
  const height = top + rows.length * rowHeight + margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="8.5">`,
    '<style>.s{stroke:#999;fill:none;stroke-width:.6}.l{stroke:#333;fill:none;stroke-width:.7;stroke-dasharray:2 2}.t{fill:#777}.g{stroke:#e4e4e4}</style>',
    '<defs><marker id="a" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0L6 3L0 6z" fill="#333"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...legend(rows),
    ...axis(to - from, height),
    ...rows.flatMap(({ span }) => edges(span, positions, x)),
    ...[...positions.values()].map(({ row, y }) => line(row, y, x)),
    '</svg>\n',
  ].join('\n')
}

type Positions = Map<string, { row: Row; y: number }>

function legend(rows: Row[]): string[] {
  const services = Object.keys(colours).filter(name => rows.some(({ service }) => service === name))
  const [first] = rows
  return [
    `<text x="${margin}" y="16" font-size="11">Trace ${first?.span.traceId ?? ''}: ${rows.length} spans, in milliseconds. An arrow is a link, a red edge an error.</text>`,
    ...services.map(
      (name, n) =>
        `<rect x="${margin + n * 112}" y="25" width="9" height="9" fill="${colourOf(name)}"/><text x="${margin + 13 + n * 112}" y="33">${name}</text>`,
    ),
  ]
}

/** Returns vertical lines at round numbers of milliseconds. */
function axis(ms: number, height: number): string[] {
  const rough = ms / 6 || 1
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = size * ([1, 2, 5].find(factor => size * factor >= rough) ?? 10)
  return Array.from({ length: Math.floor(ms / step) + 1 }, (_, n) => {
    const at = round(margin + nameWidth + ((n * step) / ms) * timeWidth)
    return `<path class="g" d="M${at} ${top - 6}V${height - margin}"/><text class="t" x="${at}" y="${top - 9}" text-anchor="middle">${n * step} ms</text>`
  })
}

/** Returns a line from the span's parent and arrows from its other links. */
function edges(span: ReceivedSpan, positions: Positions, x: (ms: number) => number): string[] {
  const here = positions.get(span.spanId)
  const parent = positions.get(span.parentSpanId)
  if (here === undefined) return []
  const [at, y] = [x(span.startMs), here.y + rowHeight / 2]
  const stem = parent && `<path class="s" d="M${at} ${parent.y + rowHeight - 2}V${y}"/>`
  const links = span.links.flatMap(({ spanId }) => {
    const linked = positions.get(spanId)
    if (linked === undefined || spanId === span.parentSpanId) return []
    const [end, above] = [x(linked.row.span.endMs), linked.y + rowHeight - 2]
    const bend = round(Math.max(at, end) + 10)
    return `<path class="l" marker-end="url(#a)" d="M${end} ${above}C${bend} ${above} ${bend} ${y} ${at} ${y}"/>`
  })
  return [...(stem ? [stem] : []), ...links]
}

function line({ span, service, depth }: Row, y: number, x: (ms: number) => number): string {
  const [from, to] = [x(span.startMs), x(span.endMs)]
  const length = Math.max(1.2, round(to - from))
  const stroke = span.isError ? ' stroke="#d00"' : ''
  const took = span.endMs - span.startMs
  return [
    `<text x="${margin + depth * 9}" y="${y + 9}">${escaped(span.name)}</text>`,
    `<rect x="${from}" y="${y + 2.5}" width="${length}" height="7" rx="1.5" fill="${colourOf(service)}"${stroke}/>`,
    `<text class="t" x="${round(from + length + 3)}" y="${y + 9}">${took < 10 ? took.toFixed(1) : took.toFixed(0)}</text>`,
  ].join('')
}

const colourOf = (service: string): string => colours[service] ?? other
const round = (number: number): number => Math.round(number * 10) / 10
const escaped = (text: string) => text.replace(/[&<>]/g, sign => `&#${sign.charCodeAt(0)};`)
