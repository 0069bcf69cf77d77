/** The frame of a screen: its heading with commands, panels, tabs, fields and facts. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import type { RunnableCommand } from '../data/reading.ts'
import { sharedCrawl } from '../data/session.ts'
import type { Call } from '../data/snippets.ts'
import { CopyAs } from './copy-as.tsx'
import { Fault } from './messages.tsx'

type Screen = {
  title: string
  /** Content beside the title, such as a status. */
  mark?: ComponentChildren
  /** Links above the title, which lead back. */
  trail?: ComponentChildren
  commands?: ComponentChildren
  call?: Call
  children?: ComponentChildren
}

export function Screen({ title, mark, trail, commands, call, children }: Screen) {
  useEffect(() => {
    document.title = `${title} · Tidemark`
  }, [title])
  return (
    <>
      <header class="screen-head">
        <div class="screen-title">
          {trail && (
            <nav class="trail" aria-label="Position">
              {trail}
            </nav>
          )}
          <h1>
            <span class="title-text">{title}</span> {mark}
          </h1>
        </div>
        {commands && <div class="commands">{commands}</div>}
      </header>
      {children}
      {call && sharedCrawl() === null && <CopyAs call={call} />}
    </>
  )
}

type PanelProps = { title: string; aside?: ComponentChildren; children: ComponentChildren; isFlush?: boolean }

/** A titled section. Without padding if its content is a table. */
export function Panel({ title, aside, children, isFlush = false }: PanelProps) {
  const id = useId()
  return (
    <section class={isFlush ? 'panel flush' : 'panel'} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside && <div class="panel-aside">{aside}</div>}
      </div>
      {children}
    </section>
  )
}

export type Tab = { name: string; address: string; isCurrent: boolean; count?: string | undefined }

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, address, isCurrent, count }) => (
        <a key={name} href={address} aria-current={isCurrent ? 'page' : undefined}>
          {name}
          {count !== undefined && <span class="tab-count">{count}</span>}
        </a>
      ))}
    </nav>
  )
}

type FieldProps = {
  label: string
  hint?: string
  children: (id: string) => ComponentChildren
  isWide?: boolean
}

/** A labelled control; `children` receives the id of the control. */
export function Field({ label, hint, children, isWide = false }: FieldProps) {
  const id = useId()
  return (
    <div class={isWide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {children(id)}
      {hint && <p class="hint">{hint}</p>}
    </div>
  )
}

/** Returns a submit handler that runs `work` and keeps the browser from loading another page. */
export const submitting = (work: () => unknown) => (event: Event) => {
  event.preventDefault()
  work()
}

type ButtonProps = {
  command: RunnableCommand
  children: ComponentChildren
  kind?: 'main' | 'danger' | 'plain'
  /** A question that the reader must confirm first. */
  confirm?: string
}

/** A button that runs a command. Its error stands beside it. */
export function CommandButton({ command, children, kind = 'plain', confirm }: ButtonProps) {
  return (
    <>
      <button
        type="button"
        class={kind}
        disabled={command.isRunning}
        onClick={() => (confirm === undefined || window.confirm(confirm)) && command.run()}
      >
        {children}
      </button>
      <Fault error={command.error.value} />
    </>
  )
}

export type Fact = readonly [name: string, value: ComponentChildren]

/** Names with their values. Values that are missing are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const shown = facts.filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && value !== false,
  )
  return (
    <dl class="facts-list">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Numbers in large type. */
export function Figures({ figures }: { figures: readonly Fact[] }) {
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
