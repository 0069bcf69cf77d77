/**
 * Statements that a migration must not contain, as a table: a migration runs while the previous version still works
 * with the same tables, and it is never reverted.
 */

export type Statement = { migration: string; sql: string }
export type Fault = { migration: string; rule: string; reason: string }

/**
 * A rule for statements. `isFresh` returns whether the same migration creates a table, which then has no rows and no
 * readers.
 */
type Rule = {
  rule: string
  reason: string
  breaks: (sql: string, isFresh: (table: string) => boolean) => boolean
}

const having = (pattern: RegExp) => (sql: string) => pattern.test(sql)
/** Returns the columns that a statement adds, each with its type and constraints. */
const addedColumns = (sql: string): string[] =>
  /^alter table/.test(sql)
    ? [...sql.matchAll(/add column (?:if not exists )?(\S+ (?:\([^)]*\)|[^,(])*)/g)].map(
        ([, column = '']) => column,
      )
    : []

const rules: Rule[] = [
  {
    rule: 'drop',
    reason: 'the previous version still reads it: stop using it in one version, drop it in a later one',
    breaks: having(/\bdrop (table|column|schema|type|view|materialized|function|sequence)\b/),
  },
  {
    rule: 'rename',
    reason: 'the previous version knows only the old name: add the new one, and write both for a version',
    breaks: having(/\brename (to|column|constraint)\b|^alter table \S+ rename\b/),
  },
  {
    rule: 'column type',
    reason: 'the table is rewritten under a lock: add another column',
    breaks: having(/alter column \S+ (set data )?type\b/),
  },
  {
    rule: 'set not null',
    reason: 'the previous version may write null, and the whole table is scanned under a lock',
    breaks: having(/alter column \S+ set not null\b/),
  },
  {
    rule: 'drop not null',
    reason: 'the previous version may read a null that it does not expect',
    breaks: having(/alter column \S+ drop not null\b/),
  },
  {
    rule: 'not null without default',
    reason: 'the previous version writes rows without it',
    breaks: sql =>
      addedColumns(sql).some(column => /\bnot null\b/.test(column) && !/\bdefault\b/.test(column)),
  },
  {
    rule: 'volatile default',
    reason: 'the table is rewritten under a lock: add the column without it',
    breaks: sql =>
      addedColumns(sql).some(column => /\b(serial|bigserial|identity|stored)\b|default \w+\(/.test(column)),
  },
  {
    rule: 'constraint',
    reason:
      'the whole table is scanned under a lock: add it NOT VALID, and validate it in a migration of its own',
    breaks: sql =>
      /^alter table/.test(sql) &&
      (/\badd (constraint|check|unique|primary key|foreign key|exclude)\b/.test(sql) ||
        addedColumns(sql).some(column => /\b(check|unique|references|primary key)\b/.test(column))) &&
      !/\bnot valid\b/.test(sql),
  },
  {
    rule: 'index',
    reason:
      'it blocks writes to the table: CREATE INDEX CONCURRENTLY, in a migration outside of a transaction',
    breaks: (sql, isFresh) => {
      const [, how = '', table = ''] = /^create (?:unique )?index (.*?)\bon (?:only )?(\S+)/.exec(sql) ?? []
      return table !== '' && !how.startsWith('concurrently') && !isFresh(table)
    },
  },
  {
    rule: 'rows',
    reason: 'rows stay locked until the whole statement ends: let the service fill them in batches',
    breaks: (sql, isFresh) => {
      const [, table = ''] = /^(?:update|delete from|with .*\b(?:update|delete from)) (\S+)/.exec(sql) ?? []
      return table !== '' && !isFresh(table)
    },
  },
  {
    rule: 'lock',
    reason: 'it blocks all other statements on the table',
    breaks: having(/^(lock|truncate|cluster|vacuum full|reindex (?!.*concurrently)|refresh materialized)\b/),
  },
]

/** Returns the faults of one migration's statements. */
export function faultsIn(statements: readonly Statement[]): Fault[] {
  const plain = statements.map(({ migration, sql }) => ({ migration, sql: plainSql(sql) }))
  const fresh = new Set(
    plain.flatMap(({ sql }) =>
      [...sql.matchAll(/create table (?:if not exists )?([^\s(]+)/g)].map(([, table]) => table),
    ),
  )
  const isFresh = (table: string) => fresh.has(table.replace(/\(.*$/, ''))
  return plain.flatMap(({ migration, sql }) => {
    const [, altered = ''] = /^alter table (?:if exists )?(?:only )?(\S+)/.exec(sql) ?? []
    if (altered !== '' && isFresh(altered)) return []
    return rules
      .filter(({ breaks }) => breaks(sql, isFresh))
      .map(({ rule, reason }) => ({ migration, rule, reason }))
  })
}

const plainSql = (sql: string): string => sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim().toLowerCase()
