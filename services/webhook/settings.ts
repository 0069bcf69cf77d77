/** Everything that can be set for webhook. */
import { connections } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({ ...connections })
