/** Controls that several screens have: text, a choice, a checkbox and the parts of a long list. */
import { type Signal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { changeQuery } from '../data/address.ts'
import type { Parts } from '../data/parts.ts'
import { CommandButton, Field } from './layout.tsx'

type InputProps = {
  id: string
  value: Signal<string>
  type?: 'text' | 'number' | 'password'
  placeholder?: string
  isOptional?: boolean
  /** A number with a fraction, such as an amount of money. */
  isAmount?: boolean
}

/**
 * Returns the text of an input that shows a value of the address. A new value replaces the text before the user can
 * type again.
 */
export function useTyped(value: string): Signal<string> {
  const typed = useSignal(value)
  useLayoutEffect(() => {
    typed.value = value
  }, [value])
  return typed
}

export const Input = ({
  id,
  value,
  type = 'text',
  placeholder,
  isOptional = false,
  isAmount = false,
}: InputProps) => (
  <input
    id={id}
    type={type as 'text'}
    required={!isOptional}
    placeholder={placeholder}
    spellcheck={false}
    autocomplete="off"
    {...(type === 'number' && (isAmount ? { min: 0, step: 'any' } : { min: 1 }))}
    value={value.value}
    onInput={event => {
      value.value = event.currentTarget.value
    }}
  />
)

type SearchFieldProps = { label: string; placeholder: string; words: string; isWide?: boolean }

/** A field of search words, which are `q` of the address. */
export const SearchField = ({ placeholder, words, ...field }: SearchFieldProps) => (
  <Field {...field}>
    {id => (
      <input
        id={id}
        type="search"
        placeholder={placeholder}
        value={words}
        onInput={event => changeQuery({ q: event.currentTarget.value })}
      />
    )}
  </Field>
)

type ChoiceProps = {
  id?: string
  /** Text before the control. If it is absent, a label elsewhere refers to `id`. */
  label?: string
  value: string
  /** Values with their words. */
  choices: readonly (readonly [value: string, words: string])[]
  onChoose: (value: string) => void
}

export function Choice({ id, label, value, choices, onChoose }: ChoiceProps) {
  const control = (
    <select id={id} value={value} onChange={event => onChoose(event.currentTarget.value)}>
      {choices.map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </select>
  )
  if (label === undefined) return control
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the variable
    <label class="inline">
      {label} {control}
    </label>
  )
}

export const Check = ({ label, value }: { label: string; value: Signal<boolean> }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={value.value}
      onChange={event => {
        value.value = event.currentTarget.checked
      }}
    />
    {label}
  </label>
)

type PagerProps = {
  offset: number
  next: number | null
  length: number
  isOldestFirst?: boolean
  /** End time of a list that gets new items at its front, so that its offsets stay the same. */
  until?: string | undefined
}

/** The buttons of a list that is read in parts, newest first by default. */
export function Pager({ offset, next, length, isOldestFirst = false, until }: PagerProps) {
  if (offset === 0 && next === null) return null
  const before = Math.max(0, offset - length)
  return (
    <div class="pager">
      {offset > 0 && (
        <button
          type="button"
          onClick={() => changeQuery({ offset: before || null, until: before > 0 ? until : null })}
        >
          {isOldestFirst ? 'Older' : 'Newer'}
        </button>
      )}
      {next !== null && (
        <button type="button" onClick={() => changeQuery({ offset: next, until })}>
          {isOldestFirst ? 'Newer' : 'Older'}
        </button>
      )}
    </div>
  )
}

/** The button that adds the next part to a list. */
export const More = ({ parts: { items, isWhole, more } }: { parts: Parts<unknown> }) =>
  items === null || isWhole ? null : (
    <div class="pager">
      <CommandButton command={more}>More</CommandButton>
    </div>
  )

/** Returns the typed text as a URL, under https if it has no scheme. */
export const withScheme = (text: string): string =>
  text === '' || /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
