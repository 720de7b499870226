import { thinkClose, thinkOpen, toolCallClose, toolCallOpen, turnEnd, turnStart } from './vocabulary.ts';

/**
 * The chat template stored in the weights.
 *
 * Trap: llama.cpp works out the tool-call format by rendering this template, and its lazy grammar is
 * triggered by the opening tag, so that tag must be one token with nothing (no newline) after it.
 */
export const chatTemplate = [
  `{%- if tools %}{{- '${turnStart}system\\n' }}`,
  `{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}`,
  `{{- 'Tools:\\n' }}{%- for tool in tools %}{{- tool | tojson }}{{- '\\n' }}{%- endfor %}`,
  `{{- 'Call one as ${toolCallOpen}{"name": NAME, "arguments": OBJECT}${toolCallClose}${turnEnd}\\n' }}`,
  `{%- elif messages[0].role == 'system' %}`,
  `{{- '${turnStart}system\\n' + messages[0].content + '${turnEnd}\\n' }}`,
  `{%- endif %}`,
  `{%- for message in messages %}`,
  `{%- if message.role == 'assistant' %}{{- '${turnStart}assistant\\n' }}`,
  `{%- if message.reasoning_content %}{{- '${thinkOpen}' + message.reasoning_content + '${thinkClose}' }}{%- endif %}`,
  `{%- if message.content %}{{- message.content }}{%- endif %}`,
  `{%- for call in message.tool_calls or [] %}`,
  `{{- '${toolCallOpen}{"name": "' + call.function.name + '", "arguments": ' }}`,
  `{{- call.function.arguments | tojson }}{{- '}${toolCallClose}' }}`,
  `{%- endfor %}{{- '${turnEnd}\\n' }}`,
  `{%- elif message.role != 'system' or not loop.first %}`,
  `{{- '${turnStart}' + message.role + '\\n' + message.content + '${turnEnd}\\n' }}`,
  `{%- endif %}`,
  `{%- endfor %}`,
  `{%- if add_generation_prompt %}{{- '${turnStart}assistant\\n' }}`,
  `{%- if enable_thinking %}{{- '${thinkOpen}' }}{%- endif %}`,
  `{%- endif %}`,
].join('\n');
