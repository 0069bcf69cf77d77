/** Pictures of numbers. Each stands beside a table with the same numbers. */
import { useSignal } from '@preact/signals'
import { count } from '../data/words.ts'

export type Share = { name: string; value: number; tone: string; detail?: string }

type ShareProps = {
  shares: readonly Share[]
  total: number
  label: string
  /** The name of the total. */
  whole: string
}

/** A bar of parts that add up to a whole, and its legend as a table. */
export function ShareBar({ shares, total, label, whole }: ShareProps) {
  const percent = (value: number) => (total === 0 ? 0 : (value / total) * 100)
  return (
    <div class="share">
      <div class="share-bar" aria-hidden="true">
        {shares
          .filter(({ value }) => value > 0)
          .map(({ name, value, tone }) => (
            <span key={name} class={`share-part ${tone}`} style={{ flexGrow: value }} />
          ))}
      </div>
      <table class="share-legend">
        <caption class="hidden">{label}</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">URLs</th>
            <th scope="col">Share</th>
            <th scope="col">Of which</th>
          </tr>
        </thead>
        <tbody>
          {shares.map(({ name, value, tone, detail }) => (
            <tr key={name} class={value === 0 ? 'zero' : undefined}>
              <th scope="row">
                <span class={`swatch ${tone}`} aria-hidden="true" />
                {name}
              </th>
              <td class="number">{count(value)}</td>
              <td class="number quiet">{value === 0 ? '' : `${percent(value).toFixed(1)} %`}</td>
              <td class="detail">{detail}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{whole}</th>
            <td class="number">{count(total)}</td>
            <td />
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

export type Point = { label: string; value: number }

const width = 600
const height = 90

/** Bars over time, with the same numbers as a table behind a switch. */
export function Bars({ points, label, unit }: { points: readonly Point[]; label: string; unit: string }) {
  const top = Math.max(1, ...points.map(({ value }) => value))
  const step = width / Math.max(points.length, 1)
  const wide = Math.min(Math.max(step - 1, 0.5), 40)
  // All bars are one element, so that a chart that changes every second costs no more than one bar.
  const bars = points
    .map(({ value }, n) => `M${n * step} ${height}v${(-value / top) * (height - 2)}h${wide}V${height}z`)
    .join('')
  const at = useSignal(-1)
  const pointed = points[at.value]
  const isTabled = useSignal(false)
  return (
    <figure class="bars">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerMove={({ offsetX, currentTarget }) => {
          at.value = Math.floor((offsetX / currentTarget.clientWidth) * points.length)
        }}
      >
        <path d={bars} />
        {pointed !== undefined && <title>{`${pointed.label}: ${count(pointed.value)} ${unit}`}</title>}
      </svg>
      <figcaption>
        <span>{points[0]?.label}</span>
        <span>
          at most {count(top)} {unit}
        </span>
        <span>{points.at(-1)?.label}</span>
      </figcaption>
      <details onToggle={event => (isTabled.value = event.currentTarget.open)}>
        <summary>As a table</summary>
        {isTabled.value && <PointTable points={points} unit={unit} />}
      </details>
    </figure>
  )
}

const PointTable = ({ points, unit }: { points: readonly Point[]; unit: string }) => (
  <table class="plain">
    <thead>
      <tr>
        <th scope="col">Time</th>
        <th scope="col" class="number">
          {unit}
        </th>
      </tr>
    </thead>
    <tbody>
      {points.map(({ label, value }) => (
        <tr key={label}>
          <td>{label}</td>
          <td class="number">{count(value)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** A bar that shows the used share of a cap. */
export function Meter({ label, value, cap }: { label: string; value: number; cap: number | null }) {
  const percent = cap === null || cap === 0 ? 0 : Math.min(100, (value / cap) * 100)
  return (
    <div class="meter">
      <div class="meter-words">
        <span>{label}</span>
        <span class="number">
          {count(value)} <span class="quiet">{cap === null ? '· no limit' : `of ${count(cap)}`}</span>
        </span>
      </div>
      {cap !== null && (
        <div class="meter-bar" aria-hidden="true">
          <span
            class={percent > 90 ? 'bad' : percent > 75 ? 'wait' : 'good'}
            style={{ width: `${percent}%` }}
          />
        </div>
      )}
    </div>
  )
}
