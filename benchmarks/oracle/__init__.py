"""An oracle on requests of the Playhouse that shares no code with those who ask.

It knows the record of a house (kinds, names, sizes, where things are) and reads words by patterns and tables of its
own: :mod:`words` and :mod:`phrases` read noun phrases, :mod:`sentences` whole requests, :mod:`scene` has the geometry,
:mod:`meaning` what phrases are true of, :mod:`ways` where players can go, :mod:`done` what is so already, and
:mod:`judging` what is wrong with a request.
"""
