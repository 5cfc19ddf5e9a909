import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { changeGroup, deleteGroup, getGroup } from '../api/org-api.ts';
import { useConsole } from '../console.ts';
import { ObjectEvents } from '../events/object-events.tsx';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Editor } from '../parts/editor.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Json } from '../parts/json.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import type { Rights } from '../rights.ts';
import { fieldsOfGroup } from './group-fields.ts';
import { GroupMembers } from './group-members.tsx';
import { GroupUses } from './group-uses.tsx';

const { groups } = messages;

type Tab = keyof typeof groups.tabs;

/** The tabs of a group that the roles of an administrator open. */
export function tabsOfGroup({ clients, changeUsers }: Rights): Tab[] {
  const all = Object.keys(groups.tabs) as Tab[];
  return all.filter((tab) => (tab === 'events' ? changeUsers : tab !== 'uses' || clients));
}

export function GroupScreen({ id, tab }: { id: string; tab: string }) {
  const { rights } = useConsole();
  const [, navigate] = useLocation();
  const [isDeleted, setDeleted] = useState(false);
  const request = getGroup(id);
  const answer = useAnswer(request);
  const group = answer.data?.body;
  const etag = answer.data?.etag;
  useTitle(group?.name ?? groups.title);
  return (
    <>
      <p class="path">
        <Link href="/groups">{groups.title}</Link>
      </p>
      <Fault error={answer.error} />
      {group && (
        <>
          <div class="head">
            <div>
              <h1 class="text">{group.name}</h1>
              {group.description !== '' && <p class="under text">{group.description}</p>}
            </div>
            {rights.changeUsers && (
              <button type="button" class="danger" onClick={() => setDeleted(true)}>
                {groups.delete}
              </button>
            )}
          </div>
          <Tabs
            label={group.name}
            current={tab}
            tabs={tabsOfGroup(rights).map((key) => ({ key, to: `/groups/${id}/${key}`, text: groups.tabs[key] }))}
          />
          {tab === 'members' && <GroupMembers id={id} name={group.name} />}
          {tab === 'uses' && <GroupUses name={group.name} />}
          {tab === 'settings' && (
            <>
              <Facts
                facts={[
                  [groups.facts.id, <code key="id">{id}</code>],
                  [groups.facts.made, <Time key="made" at={group.createdAt} />],
                  [groups.facts.changed, <Time key="changed" at={group.updatedAt} />],
                ]}
              />
              <Editor
                place={`group ${id}`}
                groups={fieldsOfGroup}
                item={group}
                etag={etag}
                isOpen={rights.changeUsers}
                change={(body, version) => changeGroup(id, body, version)}
              />
            </>
          )}
          {tab === 'events' && <ObjectEvents services={['org-api']} queries={[{ subject: id }]} />}
          {tab === 'json' && <Json value={group} />}
          {(tab === 'settings' || tab === 'json') && <Command requests={[request]} />}
          {isDeleted && (
            <Confirm
              title={`${groups.delete}: ${group.name}`}
              text={groups.deleteText}
              action={groups.delete}
              name={group.name}
              request={deleteGroup(id, { etag })}
              trial={deleteGroup(id, { etag, dryRun: true })}
              onDone={() => navigate('/groups')}
              onClose={() => setDeleted(false)}
            />
          )}
        </>
      )}
    </>
  );
}
