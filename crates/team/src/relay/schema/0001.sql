-- What carries one machine's memories to the others: the log of every item, and how each stands.
--
-- Members read under row-level security and write through the functions below alone, which know them by `session_user`.
-- Whoever writes to a project holds the lock on its row until the transaction ends, so `seq` is handed out in the order
-- in which transactions commit: a reader who has seen 17 has seen everything before 17.

CREATE TABLE lokid.meta (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- A database that was made anew is another one.
    database text NOT NULL DEFAULT gen_random_uuid()::text
);
INSERT INTO lokid.meta DEFAULT VALUES;

CREATE TABLE lokid.projects (
    name text PRIMARY KEY CHECK (name ~ '^@?[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$'),
    seq bigint NOT NULL DEFAULT 0,
    -- What a listener hears; it tells nothing to whoever may not read this table.
    bell text NOT NULL DEFAULT gen_random_uuid()::text
);
-- Every member of any project reads it, its promoters write it.
INSERT INTO lokid.projects (name) VALUES ('@org');

CREATE TABLE lokid.members (
    project text NOT NULL REFERENCES lokid.projects,
    member text NOT NULL,
    may_promote boolean NOT NULL DEFAULT false,
    PRIMARY KEY (project, member)
);
CREATE INDEX ON lokid.members (member);

-- A machine belongs to the member who used its name first: nobody else may speak in it.
CREATE TABLE lokid.replicas (
    project text NOT NULL REFERENCES lokid.projects,
    replica text NOT NULL CHECK (replica ~ '^[A-Za-z0-9_-]{1,64}$'),
    member text NOT NULL,
    label text NOT NULL DEFAULT '',
    seen_at timestamptz NOT NULL DEFAULT now(),
    cursor bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project, replica)
);

CREATE TABLE lokid.log (
    project text NOT NULL,
    seq bigint NOT NULL,
    replica text,
    idx bigint,
    hlc bigint NOT NULL,
    kind text NOT NULL,
    namespace text NOT NULL,
    name text NOT NULL,
    version bigint NOT NULL,
    base bigint NOT NULL,
    record json,
    what text NOT NULL CHECK (what IN ('put', 'forget', 'purge', 'promote', 'demote', 'propose')),
    -- Of a promotion: what exactly, and to where.
    note json,
    author text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project, seq),
    UNIQUE (project, replica, idx)
);
CREATE INDEX ON lokid.log (project, kind, namespace, name, seq);

CREATE TABLE lokid.heads (
    project text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('memory', 'link', 'contradiction')),
    namespace text NOT NULL,
    name text NOT NULL,
    seq bigint NOT NULL,
    version bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('live', 'forgotten', 'purged')),
    record json,
    fingerprint text,
    author text NOT NULL,
    at timestamptz NOT NULL,
    hlc bigint NOT NULL,
    endorsed_print text,
    endorsed_tier text,
    endorsed_by text,
    endorsed_at timestamptz,
    proposed_to text CHECK (proposed_to IN ('team', 'org')),
    proposed_print text,
    proposed_tier text,
    proposed_by text,
    proposed_at timestamptz,
    PRIMARY KEY (project, kind, namespace, name),
    UNIQUE (project, seq),
    CHECK ((state = 'live') = (record IS NOT NULL))
);

CREATE TABLE lokid.purged (
    project text NOT NULL,
    kind text NOT NULL,
    namespace text NOT NULL,
    name text NOT NULL,
    fingerprint text NOT NULL,
    PRIMARY KEY (project, kind, namespace, name)
);
-- Hashes of what purged items said, by which the database itself knows it again. Nobody reads them.
CREATE TABLE lokid.purged_words (
    project text NOT NULL,
    word bytea NOT NULL,
    -- Who may not say it again: everybody (nothing here) where a promoter purged it, else the one who took it back.
    only_for text NOT NULL DEFAULT '',
    PRIMARY KEY (project, word, only_for)
);

-- Which projects the one who asks may read.
CREATE FUNCTION lokid.mine() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = lokid, pg_temp AS $$
    SELECT project FROM members WHERE member = session_user
    UNION
    SELECT '@org' WHERE EXISTS (SELECT FROM members WHERE member = session_user)
$$;

DO $$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['members', 'replicas', 'log', 'heads', 'purged'] LOOP
        EXECUTE format('ALTER TABLE lokid.%I ENABLE ROW LEVEL SECURITY', place);
        EXECUTE format('CREATE POLICY mine ON lokid.%I FOR SELECT USING (project IN (SELECT lokid.mine()))', place);
    END LOOP;
    ALTER TABLE lokid.projects ENABLE ROW LEVEL SECURITY;
    CREATE POLICY mine ON lokid.projects FOR SELECT USING (name IN (SELECT lokid.mine()));
    ALTER TABLE lokid.purged_words ENABLE ROW LEVEL SECURITY;
END $$;

CREATE FUNCTION lokid.micros(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT (extract(epoch FROM at) * 1000000)::bigint $$;

-- A head as it is sent.
CREATE FUNCTION lokid.shown(head lokid.heads) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'kind', head.kind, 'namespace', head.namespace, 'name', head.name, 'seq', head.seq, 'version', head.version,
        'state', head.state, 'record', head.record, 'fingerprint', head.fingerprint, 'author', head.author,
        'at', lokid.micros(head.at), 'hlc', head.hlc,
        'endorsed', CASE WHEN head.endorsed_by IS NOT NULL THEN json_build_object('print', head.endorsed_print,
            'tier', head.endorsed_tier, 'by', head.endorsed_by, 'at', lokid.micros(head.endorsed_at)) END,
        'proposed', CASE WHEN head.proposed_by IS NOT NULL THEN json_build_object('to', head.proposed_to,
            'print', head.proposed_print, 'tier', head.proposed_tier, 'by', head.proposed_by,
            'at', lokid.micros(head.proposed_at)) END)
$$;

-- Hashes of what a record says, white space and case aside. Short words are nobody's own.
CREATE FUNCTION lokid.words(record json) RETURNS bytea[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    field record;
    place json;
    word text;
    hashes bytea[] := '{}';
BEGIN
    -- On the first and the second floor of the record.
    FOR place IN SELECT record UNION ALL SELECT value FROM json_each(record) WHERE json_typeof(value) = 'object' LOOP
        FOR field IN SELECT key, value FROM json_each_text(place) LOOP
            IF field.key IN ('text', 'pattern', 'description', 'goal', 'value', 'learning', 'lesson', 'what_fails') THEN
                word := lower(regexp_replace(btrim(field.value, E' \t\r\n'), '\s+', ' ', 'g'));
                IF length(word) >= 12 THEN
                    hashes := hashes || sha256(convert_to(word, 'UTF8'));
                END IF;
            END IF;
        END LOOP;
    END LOOP;
    RETURN hashes;
END $$;

-- Takes the lock of the project and gives the next place in its log. Whoever may not write there gets no further.
CREATE FUNCTION lokid.begin_writing(wanted text, promoters_only boolean) RETURNS bigint
LANGUAGE plpgsql SET search_path = lokid, pg_temp AS $$
DECLARE
    last bigint;
    promoter boolean;
BEGIN
    SELECT may_promote INTO promoter FROM members WHERE project = wanted AND member = session_user;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is no member of %', session_user, wanted USING ERRCODE = '42501';
    ELSIF (promoters_only OR wanted = '@org') AND NOT promoter THEN
        RAISE EXCEPTION '% is no promoter of %', session_user, wanted USING ERRCODE = '42501';
    END IF;
    SELECT seq INTO STRICT last FROM projects WHERE name = wanted FOR UPDATE;
    RETURN last + 1;
END $$;

-- Everything up to `last` stands: it is kept, and whoever listens is woken when the transaction commits.
CREATE FUNCTION lokid.end_writing(wanted text, last bigint) RETURNS void
LANGUAGE plpgsql SET search_path = lokid, pg_temp AS $$
DECLARE
    heard text;
BEGIN
    UPDATE projects SET seq = last WHERE name = wanted RETURNING bell INTO heard;
    PERFORM pg_notify('lokid', heard);
END $$;

CREATE FUNCTION lokid.own_replica(wanted text, machine text) RETURNS void
LANGUAGE plpgsql SET search_path = lokid, pg_temp AS $$
BEGIN
    INSERT INTO replicas (project, replica, member) VALUES (wanted, machine, session_user) ON CONFLICT DO NOTHING;
    PERFORM FROM replicas WHERE project = wanted AND replica = machine AND member = session_user;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the replica % belongs to another member', machine USING ERRCODE = '42501';
    END IF;
END $$;

-- Why an operation cannot stand in the log, or nothing.
CREATE FUNCTION lokid.objection(op json) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        -- First of all: the database cannot even look into such a thing. A backslash that is meant as one does not count.
        WHEN op::text ~ '(^|[^\\])(\\\\)*\\u0000' THEN 'the record holds a NUL'
        WHEN op->>'kind' IS NULL OR op->>'kind' NOT IN ('memory', 'link', 'contradiction') THEN 'an unknown kind of item'
        WHEN coalesce(op->>'namespace', '') = '' OR length(op->>'namespace') > 200 OR op->>'namespace' ~ '[[:cntrl:]]'
            THEN 'the namespace is empty, too long or not printable'
        WHEN coalesce(op->>'name', '') = '' OR length(op->>'name') > 1000 OR op->>'name' ~ '[[:cntrl:]]'
            THEN 'the name is empty, too long or not printable'
        WHEN (op->>'base')::bigint < 0 OR (op->>'index')::bigint < 0 THEN 'a number below zero'
        WHEN op->'record' IS NULL OR json_typeof(op->'record') NOT IN ('object', 'null') THEN 'the record is no object'
        WHEN octet_length((op->'record')::text) > 1048576 THEN 'the record is longer than 1 MiB'
        WHEN op->'record'->>'restricted' = 'true' THEN 'what is restricted stays where it is'
    END
$$;

-- Whoever writes something says that it is their word, unless it says what stood there before: then it stays the word of who
-- said it. A promoter may bring back what others said, into a database that was lost.
CREATE FUNCTION lokid.forged(said json, said_words bytea[], standing lokid.heads, promoter boolean) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = lokid, pg_temp AS $$
DECLARE
    stood json := standing.record;
    stood_words bytea[];
BEGIN
    IF coalesce(said->>'author', session_user) = session_user THEN
        RETURN false;
    END IF;
    IF standing.state = 'forgotten' THEN
        EXECUTE 'SELECT record FROM log WHERE project = $1 AND kind = $2 AND namespace = $3 AND name = $4
            AND what = ''put'' AND record IS NOT NULL ORDER BY version DESC LIMIT 1'
        INTO stood USING standing.project, standing.kind, standing.namespace, standing.name;
    END IF;
    IF stood IS NOT NULL AND stood->>'author' = said->>'author' THEN
        stood_words := words(stood);
        RETURN NOT (stood_words @> said_words AND stood_words <@ said_words);
    END IF;
    RETURN NOT promoter OR standing.state IS NOT DISTINCT FROM 'live';
END $$;

-- One answer for each operation, in their order: taken, behind (with the head), purged, or refused (and why).
CREATE FUNCTION lokid.append(wanted text, machine text, ops json) RETURNS SETOF json
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lokid, pg_temp AS $$
DECLARE
    spot bigint := begin_writing(wanted, false);
    before bigint := spot;
    promoter boolean := EXISTS (SELECT FROM members WHERE project = wanted AND member = session_user AND may_promote);
    op json;
    why text;
    said json;
    said_words bytea[];
    stood_words bytea[];
    standing heads;
    earlier log;
    stamp timestamptz;
    stamp_hlc bigint;
BEGIN
    PERFORM own_replica(wanted, machine);
    IF json_array_length(ops) > 1000 THEN
        RAISE EXCEPTION 'more than 1000 operations at once' USING ERRCODE = '22023';
    END IF;
    FOR op IN SELECT value FROM json_array_elements(ops) LOOP
        why := objection(op);
        IF why IS NOT NULL THEN
            RETURN NEXT json_build_object('outcome', 'refused', 'why', why);
            CONTINUE;
        END IF;
        said := CASE json_typeof(op->'record') WHEN 'object' THEN op->'record' END;
        -- Planned anew each time: a plan from when the tables were empty would be kept while they fill.
        EXECUTE 'SELECT * FROM heads WHERE project = $1 AND kind = $2 AND namespace = $3 AND name = $4'
            INTO standing USING wanted, op->>'kind', op->>'namespace', op->>'name';
        EXECUTE 'SELECT * FROM log WHERE project = $1 AND replica = $2 AND idx = $3'
            INTO earlier USING wanted, machine, (op->>'index')::bigint;
        said_words := CASE WHEN said IS NULL THEN '{}' ELSE words(said) END;
        IF standing.state = 'purged' OR EXISTS (SELECT FROM purged_words
            WHERE project = wanted AND word = ANY (said_words) AND only_for IN ('', session_user))
        THEN
            RETURN NEXT json_build_object('outcome', 'purged');
        ELSIF earlier.seq IS NOT NULL THEN
            IF (earlier.kind, earlier.namespace, earlier.name) = (op->>'kind', op->>'namespace', op->>'name')
                AND earlier.record::text IS NOT DISTINCT FROM said::text
            THEN
                RETURN NEXT json_build_object('outcome', 'taken', 'version', earlier.version);
            ELSE
                RETURN NEXT json_build_object('outcome', 'refused', 'why', 'its number was used for something else');
            END IF;
        -- A database that was made anew knows nothing of what was there: it takes whatever it is told.
        ELSIF standing.version <> (op->>'base')::bigint THEN
            RETURN NEXT json_build_object('outcome', 'behind', 'head', shown(standing));
        ELSIF said IS NOT NULL AND op->>'kind' = 'memory' AND forged(said, said_words, standing, promoter) THEN
            RETURN NEXT json_build_object('outcome', 'refused', 'why', 'it says that it is the word of somebody else');
        ELSE
            stamp := clock_timestamp();
            -- A clock that runs far ahead must not pull everybody's along.
            stamp_hlc := least((op->>'hlc')::bigint, micros(stamp) + 172800000000);
            INSERT INTO log (project, seq, replica, idx, hlc, kind, namespace, name, version, base, record, what, author, at)
            VALUES (wanted, spot, machine, (op->>'index')::bigint, stamp_hlc, op->>'kind', op->>'namespace', op->>'name',
                coalesce(standing.version, 0) + 1, (op->>'base')::bigint, said,
                CASE WHEN said IS NULL THEN 'forget' ELSE 'put' END, session_user, stamp);
            IF standing.version IS NULL THEN
                INSERT INTO heads (project, kind, namespace, name, seq, version, state, record, author, at, hlc)
                VALUES (wanted, op->>'kind', op->>'namespace', op->>'name', spot, 1,
                    CASE WHEN said IS NULL THEN 'forgotten' ELSE 'live' END, said, session_user, stamp, stamp_hlc);
            ELSE
                EXECUTE 'UPDATE heads SET seq = $5, version = version + 1, record = $6, author = session_user, state = $7,
                    at = $8, hlc = $9 WHERE project = $1 AND kind = $2 AND namespace = $3 AND name = $4'
                USING wanted, standing.kind, standing.namespace, standing.name, spot, said,
                    CASE WHEN said IS NULL THEN 'forgotten' ELSE 'live' END, stamp, stamp_hlc;
                -- Nobody stands behind words that were not there.
                IF coalesce(standing.endorsed_by, standing.proposed_by) IS NOT NULL THEN
                    stood_words := words(standing.record);
                    IF said IS NULL OR NOT (stood_words @> said_words AND stood_words <@ said_words) THEN
                        PERFORM unendorse(wanted, standing.kind, standing.namespace, standing.name);
                    END IF;
                END IF;
            END IF;
            RETURN NEXT json_build_object('outcome', 'taken', 'version', coalesce(standing.version, 0) + 1);
            spot := spot + 1;
        END IF;
    END LOOP;
    IF spot > before THEN
        PERFORM end_writing(wanted, spot - 1);
    END IF;
END $$;

CREATE FUNCTION lokid.unendorse(wanted text, item_kind text, item_namespace text, item_name text) RETURNS void
LANGUAGE sql SET search_path = lokid, pg_temp AS $$
    UPDATE heads SET endorsed_print = NULL, endorsed_tier = NULL, endorsed_by = NULL, endorsed_at = NULL,
        proposed_to = NULL, proposed_print = NULL, proposed_tier = NULL, proposed_by = NULL, proposed_at = NULL
    WHERE project = wanted AND kind = item_kind AND namespace = item_namespace AND name = item_name
$$;

-- Strikes what an item says from the log and its head, for ever. For a promoter, or for the one who alone wrote it.
CREATE FUNCTION lokid.purge(wanted text, item_kind text, item_namespace text, item_name text, item_print text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lokid, pg_temp AS $$
DECLARE
    spot bigint := begin_writing(wanted, false);
    standing heads;
    promoter boolean := EXISTS (SELECT FROM members WHERE project = wanted AND member = session_user AND may_promote);
    stamp timestamptz := clock_timestamp();
    why text := objection(json_build_object('kind', item_kind, 'namespace', item_namespace, 'name', item_name,
        'base', 0, 'index', 0, 'record', NULL));
BEGIN
    IF why IS NOT NULL OR item_print !~ '^([0-9a-f]{32,128})?$' THEN
        RAISE EXCEPTION '%', coalesce(why, 'the fingerprint is none') USING ERRCODE = '22023';
    END IF;
    SELECT * INTO standing FROM heads
        WHERE project = wanted AND kind = item_kind AND namespace = item_namespace AND name = item_name;
    IF standing.state = 'purged' THEN
        RETURN standing.version;
    END IF;
    -- What nobody ever sent may be anybody's: on machines that have it by git it would be gone.
    IF NOT promoter AND (standing.version IS NULL OR EXISTS (SELECT FROM log WHERE project = wanted AND kind = item_kind
        AND namespace = item_namespace AND name = item_name AND what IN ('put', 'forget') AND author <> session_user))
    THEN
        RAISE EXCEPTION 'it is not % alone who wrote it: a promoter of % may purge it', session_user, wanted
            USING ERRCODE = '42501';
    END IF;
    INSERT INTO purged VALUES (wanted, item_kind, item_namespace, item_name, item_print);
    INSERT INTO purged_words
        SELECT DISTINCT wanted, unnest(words(record)), CASE WHEN promoter THEN '' ELSE session_user END FROM log
        WHERE project = wanted AND kind = item_kind AND namespace = item_namespace AND name = item_name
            AND record IS NOT NULL
        ON CONFLICT DO NOTHING;
    UPDATE log SET record = NULL, note = NULL
        WHERE project = wanted AND kind = item_kind AND namespace = item_namespace AND name = item_name;
    INSERT INTO log (project, seq, hlc, kind, namespace, name, version, base, what, author, at)
    VALUES (wanted, spot, micros(stamp), item_kind, item_namespace, item_name, coalesce(standing.version, 0) + 1,
        coalesce(standing.version, 0), 'purge', session_user, stamp);
    INSERT INTO heads (project, kind, namespace, name, seq, version, state, fingerprint, author, at, hlc)
    VALUES (wanted, item_kind, item_namespace, item_name, spot, 1, 'purged', item_print, session_user, stamp,
        micros(stamp))
    ON CONFLICT (project, kind, namespace, name) DO UPDATE SET seq = spot, version = heads.version + 1,
        state = 'purged', record = NULL, fingerprint = item_print, author = session_user, at = stamp,
        hlc = greatest(heads.hlc, micros(stamp));
    PERFORM unendorse(wanted, item_kind, item_namespace, item_name);
    PERFORM end_writing(wanted, spot);
    RETURN coalesce(standing.version, 0) + 1;
END $$;

-- A line of the log about a promotion; the item's version stays, its place in the log moves.
CREATE FUNCTION lokid.note(wanted text, spot bigint, standing lokid.heads, did text, particulars json) RETURNS void
LANGUAGE sql SET search_path = lokid, pg_temp AS $$
    INSERT INTO log (project, seq, hlc, kind, namespace, name, version, base, what, note, author)
    VALUES (wanted, spot, standing.hlc, standing.kind, standing.namespace, standing.name, standing.version,
        standing.version, did, particulars, session_user);
    UPDATE heads SET seq = spot WHERE project = wanted AND kind = standing.kind AND namespace = standing.namespace
        AND name = standing.name;
    SELECT end_writing(wanted, spot)
$$;

-- `endorsed` when a promoter asks, `proposed` when another member does, `behind` when other words stand there by now.
CREATE FUNCTION lokid.promote(wanted text, item_namespace text, item_name text, seen bigint, words_print text,
    wanted_tier text, target text DEFAULT 'team') RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lokid, pg_temp AS $$
DECLARE
    spot bigint := begin_writing(wanted, false);
    standing heads;
    there heads;
    place text := CASE target WHEN 'team' THEN wanted WHEN 'org' THEN '@org' END;
    far bigint;
BEGIN
    IF place IS NULL OR words_print !~ '^[0-9a-f]{16,128}$' OR wanted_tier !~ '^[a-z_-]{1,40}$' THEN
        RAISE EXCEPTION 'no such promotion' USING ERRCODE = '22023';
    END IF;
    SELECT * INTO standing FROM heads
        WHERE project = wanted AND kind = 'memory' AND namespace = item_namespace AND name = item_name;
    IF standing.version IS DISTINCT FROM seen OR standing.state <> 'live' THEN
        RETURN 'behind';
    END IF;
    IF NOT EXISTS (SELECT FROM members WHERE project = place AND member = session_user AND may_promote) THEN
        UPDATE heads SET proposed_to = target, proposed_print = words_print, proposed_tier = wanted_tier,
            proposed_by = session_user, proposed_at = clock_timestamp()
        WHERE project = wanted AND kind = 'memory' AND namespace = item_namespace AND name = item_name;
        PERFORM note(wanted, spot, standing, 'propose',
            json_build_object('to', target, 'tier', wanted_tier, 'print', words_print));
        RETURN 'proposed';
    END IF;
    IF target = 'org' THEN
        far := begin_writing('@org', true);
        SELECT * INTO there FROM heads
            WHERE project = '@org' AND kind = 'memory' AND namespace = item_namespace AND name = item_name;
        IF there.state = 'purged'
            OR EXISTS (SELECT FROM purged_words WHERE project = '@org' AND word = ANY (words(standing.record)))
        THEN
            RAISE EXCEPTION 'the organisation purged it' USING ERRCODE = '42501';
        END IF;
        INSERT INTO log (project, seq, hlc, kind, namespace, name, version, base, record, what, note, author)
        VALUES ('@org', far, standing.hlc, 'memory', item_namespace, item_name, coalesce(there.version, 0) + 1,
            coalesce(there.version, 0), standing.record, 'put',
            json_build_object('from', wanted, 'version', seen, 'tier', wanted_tier), session_user);
        INSERT INTO heads (project, kind, namespace, name, seq, version, state, record, author, at, hlc)
        VALUES ('@org', 'memory', item_namespace, item_name, far, 1, 'live', standing.record, session_user,
            clock_timestamp(), standing.hlc)
        ON CONFLICT (project, kind, namespace, name) DO UPDATE SET seq = far, version = heads.version + 1,
            state = 'live', record = excluded.record, author = session_user, at = excluded.at, hlc = excluded.hlc;
        PERFORM end_writing('@org', far);
    END IF;
    UPDATE heads SET endorsed_print = words_print, endorsed_tier = wanted_tier, endorsed_by = session_user,
        endorsed_at = clock_timestamp(), proposed_to = NULL, proposed_print = NULL, proposed_tier = NULL,
        proposed_by = NULL, proposed_at = NULL
    WHERE project = place AND kind = 'memory' AND namespace = item_namespace AND name = item_name;
    IF target = 'org' THEN
        UPDATE heads SET proposed_to = NULL, proposed_print = NULL, proposed_tier = NULL, proposed_by = NULL,
            proposed_at = NULL
        WHERE project = wanted AND kind = 'memory' AND namespace = item_namespace AND name = item_name;
    END IF;
    PERFORM note(wanted, spot, standing, 'promote',
        json_build_object('to', target, 'tier', wanted_tier, 'print', words_print));
    RETURN 'endorsed';
END $$;

-- A promoter takes an endorsement or a proposal back, a member the own proposal. What is the organisation's is forgotten
-- there. False when there was nothing to take back.
CREATE FUNCTION lokid.demote(wanted text, item_namespace text, item_name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lokid, pg_temp AS $$
DECLARE
    spot bigint := begin_writing(wanted, false);
    standing heads;
    stamp timestamptz := clock_timestamp();
BEGIN
    SELECT * INTO standing FROM heads
        WHERE project = wanted AND kind = 'memory' AND namespace = item_namespace AND name = item_name;
    IF NOT FOUND OR standing.state <> 'live' THEN
        RETURN false;
    END IF;
    IF wanted = '@org' THEN
        INSERT INTO log (project, seq, hlc, kind, namespace, name, version, base, what, author, at)
        VALUES (wanted, spot, greatest(standing.hlc, micros(stamp)), 'memory', item_namespace, item_name,
            standing.version + 1, standing.version, 'forget', session_user, stamp);
        UPDATE heads SET seq = spot, version = version + 1, state = 'forgotten', record = NULL, author = session_user,
            at = stamp, hlc = greatest(hlc, micros(stamp))
        WHERE project = wanted AND kind = 'memory' AND namespace = item_namespace AND name = item_name;
        PERFORM unendorse(wanted, 'memory', item_namespace, item_name);
        PERFORM end_writing(wanted, spot);
        RETURN true;
    END IF;
    IF coalesce(standing.endorsed_by, standing.proposed_by) IS NULL THEN
        RETURN false;
    END IF;
    IF (standing.endorsed_by IS NOT NULL OR standing.proposed_by <> session_user)
        AND NOT EXISTS (SELECT FROM members WHERE project = wanted AND member = session_user AND may_promote)
    THEN
        RAISE EXCEPTION '% is no promoter of %', session_user, wanted USING ERRCODE = '42501';
    END IF;
    PERFORM unendorse(wanted, 'memory', item_namespace, item_name);
    PERFORM note(wanted, spot, standing, 'demote', NULL);
    RETURN true;
END $$;

-- This machine lives, and has read up to here.
CREATE FUNCTION lokid.beat(wanted text, machine text, machine_label text, read_up_to bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lokid, pg_temp AS $$
BEGIN
    PERFORM FROM members WHERE project = wanted AND member = session_user;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is no member of %', session_user, wanted USING ERRCODE = '42501';
    END IF;
    PERFORM own_replica(wanted, machine);
    UPDATE replicas SET label = left(regexp_replace(machine_label, '[[:cntrl:]]', '', 'g'), 100), cursor = greatest(0, least(read_up_to, (SELECT seq FROM projects WHERE name = wanted))),
        seen_at = clock_timestamp()
    WHERE project = wanted AND replica = machine;
END $$;

-- For administrators, who own all this: lets a role in, or changes what it may.
CREATE FUNCTION lokid.admit(wanted text, role text, promoter boolean) RETURNS void
LANGUAGE plpgsql SET search_path = lokid, pg_temp AS $$
BEGIN
    INSERT INTO projects (name) VALUES (wanted) ON CONFLICT DO NOTHING;
    INSERT INTO members VALUES (wanted, role, promoter)
        ON CONFLICT (project, member) DO UPDATE SET may_promote = promoter;
    PERFORM allow(role);
END $$;

-- Everything a member may touch. Again after each change of the schema.
CREATE FUNCTION lokid.allow(role text) RETURNS void
LANGUAGE plpgsql SET search_path = lokid, pg_temp AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA lokid TO %I', role);
    EXECUTE format('GRANT SELECT ON meta, schema_version, projects, members, replicas, log, heads, purged TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION mine, micros, shown, append, purge, promote, demote, beat TO %I', role);
END $$;

CREATE FUNCTION lokid.dismiss(wanted text, role text) RETURNS boolean
LANGUAGE plpgsql SET search_path = lokid, pg_temp AS $$
BEGIN
    DELETE FROM members WHERE project = wanted AND member = role;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Who is in no team any more has nothing to say to the organisation.
    IF NOT EXISTS (SELECT FROM members WHERE member = role AND project <> '@org') THEN
        DELETE FROM members WHERE project = '@org' AND member = role;
    END IF;
    IF NOT EXISTS (SELECT FROM members WHERE member = role) AND EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA lokid FROM %I', role);
        EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA lokid FROM %I', role);
        EXECUTE format('REVOKE ALL ON SCHEMA lokid FROM %I', role);
    END IF;
    RETURN true;
END $$;
