/** The lines of a page in two crawls: inline, or the earlier page beside the later one. Changed words are marked. */
import type { DiffLine, PageDiff } from '@tidemark/sdk'
import { addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useReading } from '../data/reading.ts'
import { count, counted } from '../data/words.ts'
import { Choice } from '../parts/controls.tsx'
import { Panel } from '../parts/layout.tsx'
import { Waiting } from '../parts/messages.tsx'
import { besides } from './line-pairs.ts'

const modes = [
  ['text', 'text'],
  ['markdown', 'Markdown'],
] as const

const layouts = [
  ['', 'inline'],
  ['side', 'side by side'],
] as const

export function Lines({ oldId, newId, url }: { oldId: number; newId: number; url: string }) {
  const mode = addressQuery.value.get('mode') === 'markdown' ? 'markdown' : 'text'
  const layout = addressQuery.value.get('layout') === 'side' ? 'side' : ''
  const diff = useReading(
    signal => tidemark.crawls.diffPage(oldId, newId, url, { mode, signal }),
    [oldId, newId, url, mode],
  )
  const choices = (
    <>
      <Choice label="Compare" value={mode} choices={modes} onChoose={value => changeQuery({ mode: value })} />
      <Choice
        label="Layout"
        value={layout}
        choices={layouts}
        onChoose={value => changeQuery({ layout: value })}
      />
    </>
  )
  return (
    <Panel title={url} aside={choices} isFlush>
      <Waiting reading={diff} what="the lines" />
      {diff.data && <LineList diff={diff.data} isBeside={layout === 'side'} />}
    </Panel>
  )
}

function LineList({ diff: { lines, summary, truncated }, isBeside }: { diff: PageDiff; isBeside: boolean }) {
  return (
    <>
      <p class="diff-summary">
        {counted(summary.added, 'line')} added, {count(summary.removed)} removed,{' '}
        {counted(summary.changed_words, 'word')} changed{truncated ? '; the rest is left out' : ''}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section class="diff-lines" tabIndex={0} aria-label="Lines">
        {isBeside ? <Beside lines={lines} /> : <Inline lines={lines} />}
      </section>
    </>
  )
}

const Inline = ({ lines }: { lines: readonly DiffLine[] }) => (
  <table>
    <thead class="hidden">
      <tr>
        <th scope="col">Earlier line</th>
        <th scope="col">Later line</th>
        <th scope="col">Change</th>
        <th scope="col">Text</th>
      </tr>
    </thead>
    <tbody>
      {lines.map(line => (
        <tr key={`${line.old_line} ${line.new_line}`} class={line.change}>
          <td class="line-number">{line.old_line}</td>
          <td class="line-number">{line.new_line}</td>
          <td class="sign">{signs[line.change]}</td>
          <td>
            <LineText line={line} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Beside = ({ lines }: { lines: readonly DiffLine[] }) => (
  <table class="beside">
    <colgroup>
      <col class="numbers" />
      <col />
      <col class="numbers" />
      <col />
    </colgroup>
    <thead>
      <tr>
        <th scope="col" colSpan={2}>
          Earlier
        </th>
        <th scope="col" colSpan={2}>
          Later
        </th>
      </tr>
    </thead>
    <tbody>
      {besides(lines).map(({ earlier, later }) => (
        <tr key={`${earlier?.old_line} ${later?.new_line}`}>
          <Half line={earlier} number={earlier?.old_line} />
          <Half line={later} number={later?.new_line} />
        </tr>
      ))}
    </tbody>
  </table>
)

function Half({ line, number }: { line: DiffLine | null; number: number | undefined }) {
  if (line === null) return <td class="absent" colSpan={2} />
  return (
    <>
      <td class={`line-number ${line.change}`}>
        {number} {signs[line.change]}
      </td>
      <td class={line.change}>
        <LineText line={line} />
      </td>
    </>
  )
}

const signs = { same: '', added: '+', removed: '−' } as const

function LineText({ line: { text, words } }: { line: DiffLine }) {
  if (words === undefined) return <>{text}</>
  return (
    <>
      {words.map(({ change, text }, n) =>
        change === 'same' ? text : change === 'added' ? <ins key={n}>{text}</ins> : <del key={n}>{text}</del>,
      )}
    </>
  )
}
